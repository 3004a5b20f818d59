(function_declaration name: (_) @name body: (_)? @body) @definition.function
(assignment_statement (variable_list . name: (_) @name) (expression_list . value: (function_definition body: (_)? @body))) @definition.function
(chunk (variable_declaration (assignment_statement (variable_list . name: (identifier) @name))) @definition.variable)
(chunk (assignment_statement (variable_list . name: (_) @name)) @definition.variable)
(field name: (identifier) @name value: (function_definition body: (_)? @body)) @definition.function

(parameters name: (identifier) @parameter)

(function_call name: (identifier) @_require arguments: (arguments . (string) @reference.import) (#eq? @_require "require"))
(function_call name: (identifier) @name arguments: (_) @arguments) @reference.call
(function_call name: (dot_index_expression table: (_) @receiver field: (_) @name) arguments: (_) @arguments) @reference.call
(function_call name: (method_index_expression table: (_) @receiver method: (_) @name) arguments: (_) @arguments) @reference.call

(comment) @comment
(function_definition) @local
