(function_definition name: (_) @name body: (_) @body) @definition.function
(program (variable_assignment name: (_) @name) @definition.variable)
(program (declaration_command (variable_assignment name: (_) @name)) @definition.variable)

(command name: (command_name) @_source argument: (word) @reference.import (#any-of? @_source "source" "."))
(command name: (command_name (word) @reference.call))

(comment) @comment
