(class_declaration name: (_) @name body: (_) @body) @definition.class
(interface_declaration name: (_) @name body: (_) @body) @definition.interface
(trait_declaration name: (_) @name body: (_) @body) @definition.trait
(enum_declaration name: (_) @name body: (_) @body) @definition.enum
(enum_case name: (_) @name) @definition.constant
(namespace_definition name: (_) @name body: (_) @body) @definition.namespace
(method_declaration name: (_) @name body: (_)? @body (#eq? @name "__construct")) @definition.initializer
(method_declaration name: (_) @name return_type: (_)? @type body: (_)? @body) @definition.method
(function_definition name: (_) @name return_type: (_)? @type body: (_) @body) @definition.function
(property_declaration type: (_)? @type (property_element name: (variable_name (name) @name))) @definition.property
(const_declaration (const_element . (name) @name)) @definition.constant

; Parameters are called as the variables that they are: `$name`. Properties are members, which have no sign.
(simple_parameter type: (_)? @type name: (_) @name) @parameter
(variadic_parameter type: (_)? @type name: (_) @name) @parameter
(property_promotion_parameter type: (_)? @type name: (_) @name) @parameter

(base_clause (_) @heritage.declared)
(class_interface_clause (_) @heritage.declared)
(declaration_list (use_declaration [(name) (qualified_name)] @heritage.declared))

; What a file defines it gives to others in its namespace.
(namespace_definition name: (_) @reference.export)
(namespace_use_declaration (namespace_use_clause . [(name) (qualified_name)] @name alias: (_)? @alias) @reference.import)
(namespace_use_declaration (namespace_name) @receiver
  body: (namespace_use_group (namespace_use_clause . [(name) (qualified_name)] @name alias: (_)? @alias))) @reference.import
(named_type (_) @reference.type)
(function_call_expression function: (_) @name arguments: (_) @arguments) @reference.call
(member_call_expression object: (_) @receiver name: (_) @name arguments: (_) @arguments) @reference.call
(nullsafe_member_call_expression object: (_) @receiver name: (_) @name arguments: (_) @arguments) @reference.call
(scoped_call_expression scope: (_) @receiver name: (_) @name arguments: (_) @arguments) @reference.call
(object_creation_expression [(name) (qualified_name)] @name (arguments)? @arguments) @reference.call
(attribute (_) @reference.type)
(scoped_call_expression scope: (name) @reference.type)
(class_constant_access_expression . (name) @reference.type)
(binary_expression operator: "instanceof" right: (name) @reference.type)

(comment) @comment
[(anonymous_function) (arrow_function)] @local

; A parameter that is a property at the same time is known as that, too.
(property_promotion_parameter type: (_)? @type name: (variable_name (name) @name)) @binding
(assignment_expression left: (variable_name) @name right: (_) @value) @binding
(assignment_expression left: (member_access_expression object: (variable_name)) @name right: (_) @value) @binding
(foreach_statement . (_) @value . (variable_name) @name) @binding.element
(foreach_statement . (_) @value . (pair (_) . (variable_name) @name .)) @binding.element
(catch_clause type: (_) @type name: (_) @name) @binding
(anonymous_function parameters: (formal_parameters (simple_parameter type: (_)? @type name: (_) @name) @binding))
(arrow_function parameters: (formal_parameters (simple_parameter type: (_)? @type name: (_) @name) @binding))
(return_statement (_) @binding.returned)
[(anonymous_function) (arrow_function)] @closure
(scoped_call_expression scope: (name) @reference.qualifier)
(class_constant_access_expression . (name) @reference.qualifier)
(scoped_property_access_expression scope: (name) @reference.qualifier)
