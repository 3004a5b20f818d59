(class_declaration name: (_) @name body: (_)? @body) @definition.class
(mixin_declaration name: (_) @name body: (_) @body) @definition.trait
(extension_declaration name: (_) @name body: (_) @body) @definition.extension
(extension_type_declaration name: (_) @name body: (_) @body) @definition.struct
(enum_declaration name: (_) @name body: (_) @body) @definition.enum
(enum_entry name: (_) @name) @definition.constant
(function_declaration signature: (function_signature return_type: (_)? @type name: (_) @name) body: (_) @body) @definition.function
(method_declaration signature: (method_signature (function_signature return_type: (_)? @type name: (_) @name)) body: (_) @body) @definition.method
(method_declaration signature: (method_signature (getter_signature name: (_) @name)) body: (_) @body) @definition.property
(method_declaration signature: (method_signature (setter_signature name: (_) @name)) body: (_) @body) @definition.method
(method_declaration signature: (method_signature (constructor_signature . name: (identifier) @name)) body: (_) @body) @definition.initializer
(declaration (constructor_signature . name: (identifier) @name)) @definition.initializer
(declaration (constant_constructor_signature . name: (identifier) @name)) @definition.initializer
(declaration (function_signature return_type: (_)? @type name: (_) @name)) @definition.method
(declaration (getter_signature name: (_) @name)) @definition.property
(declaration (_)? @type . (initialized_identifier_list (initialized_identifier name: (_) @name))) @definition.property
(declaration (_)? @type . (initialized_identifier_list (initialized_identifier . (identifier) @name))) @definition.property
(declaration (static_final_declaration_list (static_final_declaration . (identifier) @name))) @definition.property
(top_level_variable_declaration (static_final_declaration_list (static_final_declaration . (identifier) @name))) @definition.variable
(top_level_variable_declaration (initialized_identifier_list (initialized_identifier name: (_) @name))) @definition.variable
(type_alias . (type_identifier) @name) @definition.alias

(formal_parameter name: (_) @name) @parameter

(superclass type: (_) @heritage.declared)
(interfaces (_) @heritage.declared)
(mixins (_) @heritage.declared)

(import_specification uri: (_) @reference.import)
(library_export uri: (_) @reference.import)
(type_identifier) @reference.type
(call_expression function: (identifier) @name arguments: (_) @arguments) @reference.call

[(comment) (documentation_comment) (documentation_block_comment) (block_comment)] @comment
(function_expression) @local
(call_expression function: (member_expression object: (_) @receiver property: (_) @name)
  arguments: (_) @arguments) @reference.call
(member_expression object: (identifier) @name @reference.qualifier (#starts-upper? @name))
