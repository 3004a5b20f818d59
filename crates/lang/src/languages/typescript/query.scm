(method_definition name: (property_identifier) @name body: (_) @body (#eq? @name "constructor")) @definition.initializer
(class_declaration name: (_) @name body: (_) @body) @definition.class
(abstract_class_declaration name: (_) @name body: (_) @body) @definition.class
(interface_declaration name: (_) @name body: (_) @body) @definition.interface
(enum_declaration name: (_) @name body: (_) @body) @definition.enum
(type_alias_declaration name: (_) @name value: (_) @type) @definition.alias
(internal_module name: (_) @name body: (_) @body) @definition.namespace
(module name: (_) @name body: (_)? @body) @definition.module
(enum_body name: (property_identifier) @name @definition.constant)
(enum_assignment name: (_) @name) @definition.constant
(method_signature name: (_) @name return_type: (_)? @type) @definition.method
(abstract_method_signature name: (_) @name return_type: (_)? @type) @definition.method
(interface_body (property_signature name: (_) @name type: (_)? @type) @definition.property)
(function_signature name: (_) @name return_type: (_)? @type) @definition.function
(function_declaration name: (_) @name return_type: (_)? @type body: (_) @body) @definition.function
(generator_function_declaration name: (_) @name return_type: (_)? @type body: (_) @body) @definition.function
(export_statement "default" @name value: [(arrow_function return_type: (_)? @type body: (_) @body) (function_expression body: (_) @body)]) @definition.function
(method_definition name: (_) @name return_type: (_)? @type body: (_) @body) @definition.method
(public_field_definition name: (_) @name value: [(arrow_function return_type: (_)? @type body: (_) @body) (function_expression body: (_) @body)]) @definition.method
(public_field_definition name: (_) @name type: (_)? @type) @definition.property
(lexical_declaration (variable_declarator name: (identifier) @name
  value: [(arrow_function return_type: (_)? @type body: (_) @body) (function_expression body: (_) @body) (generator_function body: (_) @body)])) @definition.function
(lexical_declaration (variable_declarator name: (identifier) @name value: (class body: (_) @body))) @definition.class
(variable_declaration (variable_declarator name: (identifier) @name
  value: [(arrow_function return_type: (_)? @type body: (_) @body) (function_expression body: (_) @body)])) @definition.function
(lexical_declaration kind: "const" (variable_declarator name: (identifier) @name)) @definition.constant
(lexical_declaration kind: "let" (variable_declarator name: (identifier) @name)) @definition.variable
(variable_declaration (variable_declarator name: (identifier) @name)) @definition.variable
(export_statement declaration: (lexical_declaration (variable_declarator name: (identifier) @name))) @definition.variable
(export_statement declaration: (variable_declaration (variable_declarator name: (identifier) @name))) @definition.variable
(expression_statement (assignment_expression left: (member_expression) @name
  right: [(arrow_function body: (_) @body) (function_expression body: (_) @body)])) @definition.function
(pair key: (property_identifier) @name
  value: [(arrow_function return_type: (_)? @type body: (_) @body) (function_expression body: (_) @body)]) @definition.function

(export_statement declaration: (_ name: [(identifier) (type_identifier)] @name)) @definition.class
(ambient_declaration (_ name: [(identifier) (type_identifier)] @name)) @definition.class

(extends_clause value: (_) @heritage.declared)
(implements_clause (_) @heritage.declared)
(extends_type_clause type: (_) @heritage.declared)

(required_parameter pattern: (_) @name type: (_)? @type) @parameter
(optional_parameter pattern: (_) @name type: (_)? @type) @parameter

(type_identifier) @reference.type
(nested_type_identifier module: (_) @receiver name: (_) @name) @reference.type
(comment) @comment
(decorator) @attribute
[(arrow_function) (function_expression) (if_statement) (for_statement) (for_in_statement) (try_statement)] @local

(variable_declaration (variable_declarator name: (identifier) @name type: (_)? @type value: (_)? @value) @binding) @hoisted
(variable_declarator name: (identifier) @name type: (_)? @type value: (_)? @value) @binding
(public_field_definition name: (_) @name value: (_) @value) @binding
(required_parameter (accessibility_modifier) pattern: (identifier) @name type: (_)? @type) @binding
(optional_parameter (accessibility_modifier) pattern: (identifier) @name type: (_)? @type) @binding
(required_parameter "readonly" pattern: (identifier) @name type: (_)? @type) @binding
(call_expression function: (_) @value
  arguments: (arguments (arrow_function parameters: (formal_parameters . (required_parameter pattern: (identifier) @name !type))))) @binding.given
(new_expression constructor: (_) @value
  arguments: (arguments (arrow_function parameters: (formal_parameters . (required_parameter pattern: (identifier) @name !type))))) @binding.given
(arrow_function parameters: (formal_parameters (required_parameter pattern: (identifier) @name type: (_)? @type) @binding))
(function_expression parameters: (formal_parameters (required_parameter pattern: (identifier) @name type: (_)? @type) @binding))
(arrow_function body: [(as_expression) (non_null_expression)] @binding.returned)
