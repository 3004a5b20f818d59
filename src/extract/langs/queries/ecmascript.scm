; Imports and calls, of JavaScript and TypeScript alike.
(import_statement source: (string) @reference.import)
; What a module exports as its default gets its name here: name and other name are one.
(import_statement (import_clause (identifier) @name @alias) source: (string) @receiver) @reference.import
(import_statement (import_clause (named_imports (import_specifier name: (_) @name alias: (_)? @alias))) source: (string) @receiver) @reference.import
(import_statement (import_clause (namespace_import "*" @name (identifier) @alias)) source: (string) @receiver) @reference.import
(variable_declarator name: (identifier) @name @alias
  value: (call_expression function: (identifier) @_require arguments: (arguments . (string) @receiver)) (#eq? @_require "require")) @reference.import
(variable_declarator name: (object_pattern (shorthand_property_identifier_pattern) @name)
  value: (call_expression function: (identifier) @_require arguments: (arguments . (string) @receiver)) (#eq? @_require "require")) @reference.import
(export_statement source: (string) @reference.import)
(export_statement "*" @name source: (string) @receiver) @reference.export
(export_statement (namespace_export "*" @name (identifier) @alias) source: (string) @receiver) @reference.export
(export_statement (export_clause (export_specifier name: (_) @name alias: (_)? @alias)) source: (string) @receiver) @reference.export
(export_statement !source (export_clause (export_specifier name: (_) @name alias: (_)? @alias))) @reference.export
(export_statement "default" @alias value: (identifier) @name) @reference.export
(call_expression function: (import) arguments: (arguments (string) @reference.import))
(call_expression function: (identifier) @_require arguments: (arguments . (string) @reference.import) (#eq? @_require "require"))
(call_expression function: (identifier) @name arguments: (arguments) @arguments) @reference.call
(call_expression function: (member_expression object: (_) @receiver property: (_) @name)
  arguments: (arguments) @arguments) @reference.call
(new_expression constructor: (identifier) @name arguments: (_)? @arguments) @reference.call
(new_expression constructor: (member_expression object: (_) @receiver property: (_) @name)
  arguments: (_)? @arguments) @reference.call

; What names stand for.
(for_in_statement left: (identifier) @name right: (_) @value) @binding.element
(call_expression function: (member_expression object: (_) @value)
  arguments: (arguments . (arrow_function parameter: (identifier) @name))) @binding.element
(call_expression function: (member_expression object: (_) @value)
  arguments: (arguments . (arrow_function parameters: (formal_parameters . (identifier) @name)))) @binding.element
(arrow_function parameter: (identifier) @binding)
(variable_declarator name: (object_pattern (shorthand_property_identifier_pattern) @name) value: (_) @value) @binding.inner
(shorthand_property_identifier_pattern) @binding
(assignment_expression left: (member_expression object: (this)) @name right: (_) @value) @binding
(return_statement (_) @binding.returned)
(arrow_function body: [(call_expression) (new_expression) (identifier) (member_expression) (await_expression)
  (parenthesized_expression) (binary_expression) (ternary_expression) (this)] @binding.returned)
[(arrow_function) (function_expression)] @closure
