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
(variable_declarator name: (object_pattern (pair_pattern key: (property_identifier) @name value: (identifier) @alias))
  value: (call_expression function: (identifier) @_require arguments: (arguments . (string) @receiver)) (#eq? @_require "require")) @reference.import
(variable_declarator name: (identifier) @alias value: (member_expression
  object: (call_expression function: (identifier) @_require arguments: (arguments . (string) @receiver))
  property: (property_identifier) @name) (#eq? @_require "require")) @reference.import
(export_statement source: (string) @reference.import)
(export_statement "*" @name source: (string) @receiver) @reference.export
(export_statement (namespace_export "*" @name (identifier) @alias) source: (string) @receiver) @reference.export
(export_statement (export_clause (export_specifier name: (_) @name alias: (_)? @alias)) source: (string) @receiver) @reference.export
(export_statement !source (export_clause (export_specifier name: (_) @name alias: (_)? @alias))) @reference.export
(export_statement "default" @alias value: (identifier) @name) @reference.export
; What CommonJS exports: all of a module, or one name after the other.
(assignment_expression left: (member_expression) @alias right: [(identifier) @name (class name: (_) @name)] (#eq? @alias "module.exports")) @reference.export
(assignment_expression left: (member_expression) @name @alias
  right: (call_expression function: (identifier) @_require arguments: (arguments . (string) @receiver))
  (#eq? @alias "module.exports") (#eq? @_require "require")) @reference.export
(variable_declarator name: (identifier) @name value: (assignment_expression left: (member_expression) @alias)
  (#eq? @alias "module.exports")) @reference.export
(variable_declarator name: (identifier) @name value: (assignment_expression right: (assignment_expression left: (member_expression) @alias))
  (#eq? @alias "module.exports")) @reference.export
(assignment_expression left: (member_expression) @_exports right: (object (shorthand_property_identifier) @name)
  (#eq? @_exports "module.exports")) @reference.export
(assignment_expression left: (member_expression) @_exports
  right: (object (pair key: (property_identifier) @alias value: (identifier) @name))
  (#eq? @_exports "module.exports")) @reference.export
(assignment_expression left: (member_expression) @_exports
  right: (object (pair key: (property_identifier) @name @alias
    value: (call_expression function: (identifier) @_require arguments: (arguments . (string) @receiver))))
  (#eq? @_exports "module.exports") (#eq? @_require "require")) @reference.export
(assignment_expression left: (member_expression object: [(identifier) (member_expression)] @_exports property: (property_identifier) @alias)
  right: [(identifier) @name (class name: (_) @name)] (#any-of? @_exports "exports" "module.exports")) @reference.export
(assignment_expression left: (member_expression object: [(identifier) (member_expression)] @_exports property: (property_identifier) @name @alias)
  right: (call_expression function: (identifier) @_require arguments: (arguments . (string) @receiver))
  (#any-of? @_exports "exports" "module.exports") (#eq? @_require "require")) @reference.export
(assignment_expression left: (member_expression object: [(identifier) (member_expression)] @_exports property: (property_identifier) @alias)
  right: (member_expression object: (call_expression function: (identifier) @_require arguments: (arguments . (string) @receiver))
    property: (property_identifier) @name)
  (#any-of? @_exports "exports" "module.exports") (#eq? @_require "require")) @reference.export
(expression_statement (assignment_expression left: (member_expression object: [(identifier) (member_expression)] @_exports) @name
  right: [(new_expression) (call_expression)]) (#any-of? @_exports "exports" "module.exports")) @definition.property
(expression_statement (assignment_expression left: (member_expression) @name
  right: [(new_expression) (call_expression)]) (#eq? @name "module.exports")) @definition.property
(assignment_expression left: (member_expression object: [(identifier) (member_expression)] @_exports property: (property_identifier) @name)
  right: [(new_expression) (call_expression)] @value (#any-of? @_exports "exports" "module" "module.exports")) @binding

; Functions that are assigned to two names, and classes that are assigned.
(expression_statement (assignment_expression right: (assignment_expression left: (member_expression) @name
  right: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]))) @definition.function
(expression_statement (assignment_expression left: (member_expression) @name right: (assignment_expression
  right: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]))) @definition.function
(expression_statement (assignment_expression left: (member_expression) right: (class name: (_) @name body: (_) @body))) @definition.class
(expression_statement (assignment_expression left: (member_expression) @name right: (class !name body: (_) @body))) @definition.class

; What inherited before there were classes.
(call_expression function: [(identifier) @_inherits (member_expression property: (property_identifier) @_inherits)]
  arguments: (arguments . (identifier) @subject . (_) @heritage.declared) (#eq? @_inherits "inherits"))
(call_expression function: (member_expression) @_function
  arguments: (arguments . (member_expression object: (identifier) @subject property: (property_identifier) @_prototype)
    . (member_expression object: (_) @heritage.declared property: (property_identifier) @_base))
  (#eq? @_function "Object.setPrototypeOf") (#eq? @_prototype "prototype") (#eq? @_base "prototype"))
(assignment_expression left: (member_expression object: (identifier) @subject property: (property_identifier) @_prototype)
  right: (call_expression function: (member_expression) @_function
    arguments: (arguments . (member_expression object: (_) @heritage.declared property: (property_identifier) @_base)))
  (#eq? @_function "Object.create") (#eq? @_prototype "prototype") (#eq? @_base "prototype"))
(variable_declarator name: (identifier) @subject value: (call_expression function: (member_expression) @_function
    arguments: (arguments . (member_expression object: (_) @heritage.declared property: (property_identifier) @_base)))
  (#eq? @_function "Object.create") (#eq? @_base "prototype"))
(call_expression function: (import) arguments: (arguments (string) @reference.import))
(call_expression function: (identifier) @_require arguments: (arguments . (string) @reference.import) (#eq? @_require "require"))
(call_expression function: (identifier) @name arguments: (arguments) @arguments) @reference.call
(call_expression function: (member_expression object: (_) @receiver property: (_) @name)
  arguments: (arguments) @arguments) @reference.call
(call_expression function: (identifier) @name arguments: (template_string)) @reference.call
(call_expression function: (member_expression object: (_) @receiver property: (_) @name)
  arguments: (template_string)) @reference.call
; `open.call(page)` calls `open`.
(call_expression function: (member_expression object: (identifier) @name property: (property_identifier) @_caller)
  (#any-of? @_caller "call" "apply")) @reference.applied
(call_expression function: (member_expression object: (member_expression object: (_) @receiver property: (_) @name)
  property: (property_identifier) @_caller) (#any-of? @_caller "call" "apply")) @reference.applied
(new_expression constructor: (identifier) @name arguments: (_)? @arguments) @reference.call
(new_expression constructor: (member_expression object: (_) @receiver property: (_) @name)
  arguments: (_)? @arguments) @reference.call

; What names stand for.
(for_in_statement left: (identifier) @name right: (_) @value) @binding.element
(call_expression function: (_) @value arguments: (arguments (arrow_function parameter: (identifier) @name))) @binding.given
(call_expression function: (_) @value
  arguments: (arguments (arrow_function parameters: (formal_parameters . (identifier) @name)))) @binding.given
(new_expression constructor: (_) @value arguments: (arguments (arrow_function parameter: (identifier) @name))) @binding.given
(arrow_function parameter: (identifier) @binding)
(variable_declarator name: (object_pattern (shorthand_property_identifier_pattern) @name) value: (_) @value) @binding.inner
(shorthand_property_identifier_pattern) @binding
(assignment_expression left: (member_expression object: (this)) @name right: (_) @value) @binding
(return_statement (_) @binding.returned)
(arrow_function body: [(call_expression) (new_expression) (identifier) (member_expression) (await_expression)
  (parenthesized_expression) (binary_expression) (ternary_expression) (this)] @binding.returned)
[(arrow_function) (function_expression)] @closure
[(statement_block) (arrow_function) (function_expression) (for_statement) (for_in_statement) (switch_body) (catch_clause)] @block
(member_expression object: (identifier) @name @reference.qualifier (#starts-upper? @name))
