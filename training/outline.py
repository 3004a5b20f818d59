"""The definitions of a source file: name, scope, lines and text, from tree-sitter grammars.

Only declarations that a change can be attributed to: functions and types, nothing anonymous.
"""

import importlib
import re
from functools import cache

from tree_sitter import Language, Parser, Query, QueryCursor

# Language → package of the grammar and the function in it.
GRAMMARS = {
    "python": ("python", "language"), "javascript": ("javascript", "language"), "typescript": ("typescript", "language_typescript"),
    "tsx": ("typescript", "language_tsx"), "rust": ("rust", "language"), "go": ("go", "language"), "java": ("java", "language"),
    "kotlin": ("kotlin", "language"), "swift": ("swift", "language"), "c": ("c", "language"), "cpp": ("cpp", "language"),
    "csharp": ("c_sharp", "language"), "ruby": ("ruby", "language"), "php": ("php", "language_php"), "scala": ("scala", "language"),
    "elixir": ("elixir", "language"), "haskell": ("haskell", "language"), "lua": ("lua", "language"), "zig": ("zig", "language"),
}
SCRIPT = """
(function_declaration) @function (generator_function_declaration) @function (method_definition) @function
(variable_declarator value: [(arrow_function) (function_expression)]) @function
(pair value: [(arrow_function) (function_expression)]) @function
(assignment_expression left: (member_expression) right: [(arrow_function) (function_expression)]) @function
(class_declaration) @type
"""
TYPED = """(interface_declaration) @type (enum_declaration) @type (abstract_class_declaration) @type
(public_field_definition value: (arrow_function)) @function"""
QUERIES = {
    "python": "(function_definition) @function (class_definition) @type",
    "javascript": SCRIPT + "(field_definition value: (arrow_function)) @function",
    "typescript": SCRIPT + TYPED,
    "tsx": SCRIPT + TYPED,
    "rust": "(function_item) @function (macro_definition) @function (struct_item) @type (enum_item) @type (trait_item) @type (impl_item) @type",
    "go": "(function_declaration) @function (method_declaration) @function (type_spec) @type",
    "java": "(method_declaration) @function (constructor_declaration) @function (class_declaration) @type (interface_declaration) @type"
            " (enum_declaration) @type (record_declaration) @type",
    "kotlin": "(function_declaration) @function (secondary_constructor) @function (class_declaration) @type (object_declaration) @type",
    "swift": "(function_declaration) @function (init_declaration) @function (class_declaration) @type (protocol_declaration) @type"
             " (property_declaration (computed_property)) @function",
    "c": "(function_definition) @function (struct_specifier body: (_)) @type",
    "cpp": "(function_definition) @function (struct_specifier body: (_)) @type (class_specifier body: (_)) @type",
    "csharp": "(method_declaration) @function (constructor_declaration) @function (property_declaration) @function (class_declaration) @type"
              " (interface_declaration) @type (struct_declaration) @type (record_declaration) @type",
    "ruby": "(method) @function (singleton_method) @function (class) @type (module) @type",
    "php": "(function_definition) @function (method_declaration) @function (class_declaration) @type (interface_declaration) @type (trait_declaration) @type",
    "scala": "(function_definition) @function (class_definition) @type (object_definition) @type (trait_definition) @type",
    "elixir": '(call target: (identifier) @_t (#any-of? @_t "def" "defp" "defmacro")) @function (call target: (identifier) @_t (#any-of? @_t "defmodule")) @type',
    "haskell": "(function) @function (data_type) @type (class) @type (instance) @type",
    "lua": "(function_declaration) @function (assignment_statement (expression_list value: (function_definition))) @function",
    "zig": "(function_declaration) @function",
}
EXTENSIONS = {
    "py": "python", "js": "javascript", "mjs": "javascript", "cjs": "javascript", "jsx": "javascript", "ts": "typescript", "mts": "typescript",
    "tsx": "tsx", "rs": "rust", "go": "go", "java": "java", "kt": "kotlin", "swift": "swift", "c": "c", "h": "cpp", "cc": "cpp", "cpp": "cpp",
    "cxx": "cpp", "hpp": "cpp", "hh": "cpp", "hxx": "cpp", "cs": "csharp", "rb": "ruby", "php": "php", "scala": "scala", "ex": "elixir",
    "hs": "haskell", "lua": "lua", "zig": "zig",
}
# What may stand above a definition and belongs to it: comments, attributes, decorators.
LEAD = re.compile(r"\s*(//|#(?!include|define|if|end|else)|/?\*|--|@|\{-|\[[A-Z])")
LONGEST_BODY, LONGEST_SIGNATURE, LONGEST_LEAD = 2400, 300, 40


def language_of(path):
    return EXTENSIONS.get(path.rsplit("/", 1)[-1].rsplit(".", 1)[-1])


@cache
def parser_and_query(language):
    package, function = GRAMMARS[language]
    grammar = Language(getattr(importlib.import_module("tree_sitter_" + package), function)())
    return Parser(grammar), Query(grammar, QUERIES[language])


def text_of(node):
    return node.text.decode("utf-8", "replace")


def name_of(node):
    if node.type == "init_declaration":
        return "init"
    if node.type == "impl_item":
        found = node.child_by_field_name("type")
    elif node.type == "call":
        arguments = next((child for child in node.children if child.type == "arguments"), None)
        head = arguments.named_children[0] if arguments and arguments.named_children else None
        while head is not None and head.type in ("call", "binary_operator") and head.named_children:
            head = head.named_children[0]
        found = head
    else:
        found = node.child_by_field_name("name") or node.child_by_field_name("key") or node.child_by_field_name("left")
        declarator = node.child_by_field_name("declarator")
        while found is None and declarator is not None:
            inner = declarator.child_by_field_name("declarator") or next((c for c in declarator.named_children if c.type.endswith("declarator")), None)
            if inner is None:
                found = declarator
            declarator = inner
    if found is None:
        found = next((c for c in node.named_children if c.type.endswith("identifier") or c.type in ("variable_list", "variable")), None)
    return re.split(r"[<(\s]", text_of(found).strip())[0][:80] if found is not None else ""


def receiver_of(node):
    receiver = node.child_by_field_name("receiver") if node.type == "method_declaration" else None
    found = re.search(r"\*?\s*([A-Za-z_]\w*)\s*(\[.*)?\)$", text_of(receiver)) if receiver is not None else None
    return found[1] if found else ""


def lead_of(lines, first):
    """Comments and attributes right above a line."""
    at = first
    while at > max(0, first - LONGEST_LEAD) and LEAD.match(lines[at - 1]):
        at -= 1
    return "\n".join(lines[at:first])


def definition_of(node, kind, source, lines):
    body = node.child_by_field_name("body")
    cut = body.start_byte if body is not None else source.find(b"\n", node.start_byte, node.end_byte)
    cut = cut if cut > node.start_byte else node.end_byte
    signature = " ".join(source[node.start_byte : cut].decode("utf-8", "replace").split())[:LONGEST_SIGNATURE]
    first = node.start_point[0]
    return {
        "name": name_of(node), "scope": receiver_of(node), "kind": kind, "first": first + 1, "last": node.end_point[0] + 1, "signature": signature,
        "doc": lead_of(lines, first)[:1200], "body": source[cut : node.end_byte].decode("utf-8", "replace")[:LONGEST_BODY],
    }


def outline(source, language):
    """The named definitions in the order of their first lines. A definition's scope is the name of the one around it."""
    parser, query = parser_and_query(language)
    captured = QueryCursor(query).captures(parser.parse(source).root_node)
    nodes = [(node, kind) for kind in ("function", "type") for node in captured.get(kind, [])]
    nodes.sort(key=lambda entry: (entry[0].start_byte, -entry[0].end_byte))
    lines = source.decode("utf-8", "replace").split("\n")
    found, around = [], []
    for node, kind in nodes:
        definition = definition_of(node, kind, source, lines)
        while around and around[-1][0] < node.end_byte:
            around.pop()
        if not definition["name"]:
            continue
        if language == "haskell" and found and kind == "function" and found[-1]["name"] == definition["name"]:
            found[-1]["last"] = definition["last"]
            found[-1]["body"] = (found[-1]["body"] + "\n" + definition["signature"] + definition["body"])[:LONGEST_BODY]
            continue
        definition["scope"] = definition["scope"] or (around[-1][1] if around else "")
        found.append(definition)
        around.append((node.end_byte, definition["name"]))
    return found


def innermost(definitions, first, last):
    """The number of the smallest definition that contains both lines."""
    holding = [n for n, d in enumerate(definitions) if d["first"] <= first and last <= d["last"]]
    return min(holding, key=lambda n: definitions[n]["last"] - definitions[n]["first"]) if holding else None
