(function_declaration name: (_) @name type: (_)? @type body: (_)? @body) @definition.function
(variable_declaration (identifier) @name (struct_declaration "{" @body)) @definition.struct
(variable_declaration (identifier) @name (enum_declaration "{" @body)) @definition.enum
(variable_declaration (identifier) @name (union_declaration "{" @body)) @definition.struct
(variable_declaration ["const" "var"] . (identifier) @name type: (_)? @type) @definition.variable
(container_field name: (_) @name type: (_)? @type) @definition.property
(test_declaration (string) @name (block) @body) @definition.function

(parameter name: (_) @name type: (_) @type) @parameter

(builtin_function (builtin_identifier) @_import (arguments (string) @reference.import) (#eq? @_import "@import"))
(call_expression function: (identifier) @name) @reference.call
(call_expression function: (field_expression object: (_) @receiver member: (_) @name)) @reference.call

(comment) @comment
