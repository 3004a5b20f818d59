; What Objective-C has beside what it shares with C.
(class_interface . (identifier) @name !category) @definition.class
(class_interface . (identifier) @name category: (_)) @definition.extension
(class_implementation . (identifier) @name) @definition.extension
(protocol_declaration . (identifier) @name) @definition.protocol
(method_declaration . (method_type)? @type . (identifier) @name) @definition.method
(method_definition . (method_type)? @type . (identifier) @name) @definition.method
(method_definition . (method_type) . (identifier) @name (compound_statement) @body) @definition.method
(property_declaration (struct_declaration (_) @type (struct_declarator (identifier) @name))) @definition.property
(property_declaration (struct_declaration (_) @type (struct_declarator (pointer_declarator declarator: (identifier) @name)))) @definition.property

(method_parameter (method_type) @type (identifier) @name) @parameter

(class_interface superclass: (_) @heritage.declared)
(class_interface (parameterized_arguments (type_name (type_identifier) @heritage.declared)))
(protocol_reference_list (identifier) @heritage.declared)

(module_import path: (_) @reference.import)
(message_expression receiver: (_) @receiver . method: (_) @name) @reference.call
