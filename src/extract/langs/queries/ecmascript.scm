; Imports and calls, of JavaScript and TypeScript alike.
(import_statement source: (string) @reference.import)
(import_statement (import_clause (identifier) @name) source: (string) @receiver) @reference.import
(import_statement (import_clause (named_imports (import_specifier name: (_) @name))) source: (string) @receiver) @reference.import
(import_statement (import_clause (namespace_import (identifier) @name)) source: (string) @receiver) @reference.import
(export_statement source: (string) @reference.import)
(export_statement (export_clause (export_specifier name: (_) @name)) source: (string) @receiver) @reference.import
(call_expression function: (import) arguments: (arguments (string) @reference.import))
(call_expression function: (identifier) @_require arguments: (arguments . (string) @reference.import) (#eq? @_require "require"))
(call_expression function: (identifier) @name arguments: (arguments) @arguments) @reference.call
(call_expression function: (member_expression object: (_) @receiver property: (_) @name)
  arguments: (arguments) @arguments) @reference.call
(new_expression constructor: (identifier) @name arguments: (_)? @arguments) @reference.call
(new_expression constructor: (member_expression object: (_) @receiver property: (_) @name)
  arguments: (_)? @arguments) @reference.call
