(method_definition name: (property_identifier) @name body: (_) @body (#eq? @name "constructor")) @definition.initializer
(class_declaration name: (_) @name body: (_) @body) @definition.class
(export_statement declaration: (class_declaration name: (_) @name)) @definition.class
(function_declaration name: (_) @name body: (_) @body) @definition.function
(generator_function_declaration name: (_) @name body: (_) @body) @definition.function
(export_statement declaration: (function_declaration name: (_) @name)) @definition.function
(export_statement declaration: (generator_function_declaration name: (_) @name)) @definition.function
(export_statement "default" @name value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @definition.function
(method_definition name: (_) @name body: (_) @body) @definition.method
(field_definition property: (_) @name value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @definition.method
(field_definition property: (_) @name) @definition.property
(lexical_declaration (variable_declarator name: (identifier) @name
  value: [(arrow_function body: (_) @body) (function_expression body: (_) @body) (generator_function body: (_) @body)])) @definition.function
(lexical_declaration (variable_declarator name: (identifier) @name value: (class body: (_) @body))) @definition.class
(variable_declaration (variable_declarator name: (identifier) @name
  value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)])) @definition.function
(lexical_declaration kind: "const" (variable_declarator name: (identifier) @name)) @definition.constant
(lexical_declaration kind: "let" (variable_declarator name: (identifier) @name)) @definition.variable
(variable_declaration (variable_declarator name: (identifier) @name)) @definition.variable
(export_statement declaration: (lexical_declaration (variable_declarator name: (identifier) @name))) @definition.variable
(export_statement declaration: (variable_declaration (variable_declarator name: (identifier) @name))) @definition.variable
(expression_statement (assignment_expression left: (member_expression) @name
  right: [(arrow_function body: (_) @body) (function_expression body: (_) @body)])) @definition.function
(pair key: (property_identifier) @name
  value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @definition.function

(class_heritage (identifier) @heritage.declared)
(class_heritage (member_expression) @heritage.declared)

(formal_parameters (identifier) @parameter)
(formal_parameters (assignment_pattern left: (_) @name) @parameter)
(formal_parameters [(rest_pattern) (object_pattern) (array_pattern)] @parameter)

(jsx_opening_element name: (identifier) @name (#starts-upper? @name)) @reference.call
(jsx_self_closing_element name: (identifier) @name (#starts-upper? @name)) @reference.call

(comment) @comment
(decorator) @attribute
[(arrow_function) (function_expression) (if_statement) (for_statement) (for_in_statement) (try_statement)] @local

(variable_declaration (variable_declarator name: (identifier) @name value: (_)? @value) @binding) @hoisted
(variable_declarator name: (identifier) @name value: (_)? @value) @binding
(field_definition property: (_) @name value: (_) @value) @binding
(arrow_function parameters: (formal_parameters (identifier) @binding))
(function_expression parameters: (formal_parameters (identifier) @binding))
