(class_declaration name: (_) @name body: (_)? @body) @definition.class
(struct_declaration name: (_) @name body: (_)? @body) @definition.struct
(record_declaration name: (_) @name body: (_)? @body) @definition.struct
(interface_declaration name: (_) @name body: (_) @body) @definition.interface
(enum_declaration name: (_) @name body: (_) @body) @definition.enum
(enum_member_declaration name: (_) @name) @definition.constant
(namespace_declaration name: (_) @name body: (_) @body) @definition.namespace
(method_declaration returns: (_) @type name: (_) @name body: (_)? @body) @definition.method
(local_function_statement type: (_) @type name: (_) @name body: (_)? @body) @definition.function
(constructor_declaration name: (_) @name body: (_)? @body) @definition.initializer
(destructor_declaration name: (_) @name body: (_)? @body) @definition.deinitializer
(operator_declaration type: (_) @type operator: _ @name body: (_)? @body) @definition.method
(indexer_declaration type: (_) @type "this" @name accessors: (_)? @body) @definition.subscript
(property_declaration type: (_) @type name: (_) @name accessors: (_)? @body) @definition.property
(field_declaration (variable_declaration type: (_) @type (variable_declarator name: (_) @name))) @definition.property
(event_field_declaration (variable_declaration type: (_) @type (variable_declarator name: (_) @name))) @definition.property
(delegate_declaration type: (_) @type name: (_) @name) @definition.alias

(parameter type: (_)? @type name: (_) @name) @parameter

(base_list (primary_constructor_base_type type: (_) @heritage.declared))
(base_list [(identifier) (qualified_name) (generic_name)] @heritage.declared)

(using_directive [(identifier) (qualified_name)] @reference.import)
(variable_declaration type: (identifier) @reference.type)
(parameter type: (identifier) @reference.type)
(property_declaration type: (identifier) @reference.type)
(method_declaration returns: (identifier) @reference.type)
(base_list (identifier) @reference.type)
(generic_name (identifier) @reference.type)
(type_argument_list (identifier) @reference.type)
(nullable_type (identifier) @reference.type)
(array_type (identifier) @reference.type)
(cast_expression type: (identifier) @reference.type)
(attribute name: (_) @reference.type)
(invocation_expression function: (identifier) @name arguments: (_) @arguments) @reference.call
(invocation_expression function: (generic_name (identifier) @name) arguments: (_) @arguments) @reference.call
(invocation_expression function: (member_access_expression expression: (_) @receiver name: (_) @name)
  arguments: (_) @arguments) @reference.call
(invocation_expression function: (conditional_access_expression condition: (_) @receiver
  (member_binding_expression name: (_) @name)) arguments: (_) @arguments) @reference.call
(object_creation_expression type: (_) @name arguments: (_)? @arguments) @reference.call

(comment) @comment
[(lambda_expression) (anonymous_method_expression)] @local

(variable_declaration type: (_) @type (variable_declarator name: (_) @name (_)? @value)) @binding
(foreach_statement type: (_) @type left: (_) @name right: (_) @value) @binding.element
(declaration_pattern type: (_) @type name: (_) @name) @binding
(lambda_expression parameters: (implicit_parameter) @binding)
(return_statement (_) @binding.returned)
(lambda_expression) @closure
[(block) (lambda_expression) (anonymous_method_expression) (for_statement) (foreach_statement) (using_statement)
  (catch_clause) (switch_section) (switch_expression_arm)] @block
(member_access_expression expression: (identifier) @name @reference.qualifier (#starts-upper? @name))
