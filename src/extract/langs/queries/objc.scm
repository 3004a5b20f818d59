(function_definition declarator: (function_declarator declarator: (_) @name) body: (_) @body) @definition.function
(function_definition declarator: (pointer_declarator declarator: (function_declarator declarator: (_) @name)) body: (_) @body) @definition.function
(function_definition declarator: (pointer_declarator declarator: (pointer_declarator declarator: (function_declarator declarator: (_) @name))) body: (_) @body) @definition.function
(function_definition type: (_) @type declarator: (function_declarator declarator: (_) @name)) @definition.function
(declaration type: (_) @type declarator: (function_declarator declarator: (identifier) @name)) @definition.function
(declaration type: (_) @type declarator: (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))) @definition.function
(struct_specifier name: (_) @name body: (_) @body) @definition.struct
(union_specifier name: (_) @name body: (_) @body) @definition.struct
(enum_specifier name: (_) @name body: (_) @body) @definition.enum
(type_definition type: (struct_specifier !name body: (_) @body) declarator: (type_identifier) @name) @definition.struct
(type_definition type: (union_specifier !name body: (_) @body) declarator: (type_identifier) @name) @definition.struct
(type_definition type: (enum_specifier !name body: (_) @body) declarator: (type_identifier) @name) @definition.enum
(type_definition type: (_) @type declarator: (type_identifier) @name) @definition.alias
(type_definition declarator: (pointer_declarator declarator: (type_identifier) @name)) @definition.alias
(type_definition declarator: (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: (type_identifier) @name)))) @definition.alias
(enumerator name: (_) @name) @definition.constant
(field_declaration type: (_) @type declarator: [
  (field_identifier) @name
  (pointer_declarator declarator: (field_identifier) @name)
  (array_declarator declarator: (field_identifier) @name)
  (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: (field_identifier) @name)))]) @definition.property
(declaration type: (_) @type declarator: [
  (identifier) @name
  (pointer_declarator declarator: (identifier) @name)
  (array_declarator declarator: (identifier) @name)
  (init_declarator declarator: [
    (identifier) @name
    (pointer_declarator declarator: (identifier) @name)
    (array_declarator declarator: (identifier) @name)])]) @definition.variable
(preproc_def name: (_) @name) @definition.macro
(preproc_function_def name: (_) @name) @definition.macro

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
(parameter_declaration type: (_) @type declarator: (_) @name) @parameter

(class_interface superclass: (_) @heritage.declared)
(class_interface (parameterized_arguments (type_name (type_identifier) @heritage.declared)))
(protocol_reference_list (identifier) @heritage.declared)

(module_import path: (_) @reference.import)
(message_expression receiver: (_) @receiver . method: (_) @name) @reference.call
(preproc_include path: (_) @reference.import)
(type_identifier) @reference.type
(call_expression function: (identifier) @name arguments: (_) @arguments) @reference.call
(call_expression function: (field_expression argument: (_) @receiver field: (_) @name)
  arguments: (_) @arguments) @reference.call

(comment) @comment
