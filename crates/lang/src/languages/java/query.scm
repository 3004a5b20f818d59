(class_declaration name: (_) @name body: (_) @body) @definition.class
(record_declaration name: (_) @name body: (_) @body) @definition.struct
(interface_declaration name: (_) @name body: (_) @body) @definition.interface
(annotation_type_declaration name: (_) @name body: (_) @body) @definition.interface
(enum_declaration name: (_) @name body: (_) @body) @definition.enum
; What has a body of its own is a type of its own: a constant of an enum, and one without a name.
(enum_constant name: (_) @name body: (_) @body) @definition.class
(object_creation_expression "new" @name (class_body) @body) @definition.class
(enum_constant name: (_) @name) @definition.constant
(method_declaration type: (_) @type name: (_) @name body: (_)? @body) @definition.method
(annotation_type_element_declaration type: (_) @type name: (_) @name) @definition.method
(constructor_declaration name: (_) @name body: (_) @body) @definition.initializer
(compact_constructor_declaration name: (_) @name body: (_) @body) @definition.initializer
(field_declaration type: (_) @type declarator: (variable_declarator name: (_) @name)) @definition.property
(constant_declaration type: (_) @type declarator: (variable_declarator name: (_) @name)) @definition.constant

(formal_parameter type: (_) @type name: (_) @name) @parameter
(spread_parameter (_) @type . (variable_declarator name: (_) @name)) @parameter

(superclass (_) @heritage.declared)
(super_interfaces (type_list (_) @heritage.declared))
(extends_interfaces (type_list (_) @heritage.declared))
(object_creation_expression type: (_) @heritage.declared (class_body))
(enum_declaration name: (_) @heritage.declared body: (enum_body (enum_constant name: (_) @subject body: (_))))

(import_declaration (scoped_identifier) @reference.import .)
(import_declaration (scoped_identifier) @receiver (asterisk) @name) @reference.import
(type_identifier) @reference.type
(scoped_type_identifier (_) @receiver . (type_identifier) @name) @reference.type
(marker_annotation name: (_) @reference.type)
(annotation name: (_) @reference.type)
(method_invocation object: (_) @receiver name: (_) @name arguments: (_) @arguments) @reference.call
(method_invocation name: (_) @name arguments: (_) @arguments) @reference.call
(object_creation_expression type: (_) @name arguments: (_) @arguments) @reference.call
(explicit_constructor_invocation constructor: (_) @name arguments: (_) @arguments) @reference.call

[(line_comment) (block_comment)] @comment
(lambda_expression) @local

(local_variable_declaration type: (_) @type declarator: (variable_declarator name: (_) @name value: (_)? @value)) @binding
(field_declaration declarator: (variable_declarator name: (_) @name value: (_) @value)) @binding
(resource type: (_) @type name: (_) @name value: (_) @value) @binding
(enhanced_for_statement type: (_) @type name: (_) @name value: (_) @value) @binding.element
(instanceof_expression right: (type_identifier) @type name: (identifier) @name) @binding
(catch_formal_parameter (catch_type (_) @type) name: (_) @name) @binding
(method_invocation object: (_) @value arguments: (argument_list . (lambda_expression parameters: (identifier) @name))) @binding.element
(lambda_expression parameters: (identifier) @binding)
(lambda_expression parameters: (inferred_parameters (identifier) @binding))
(return_statement (_) @binding.returned)
(lambda_expression) @closure
[(block) (lambda_expression) (for_statement) (enhanced_for_statement) (try_with_resources_statement) (catch_clause)
  (switch_block) (switch_rule)] @block
(method_invocation object: (identifier) @name @reference.qualifier (#starts-upper? @name))
(field_access object: (identifier) @name @reference.qualifier (#starts-upper? @name))
(method_reference . (identifier) @name @reference.qualifier (#starts-upper? @name))
