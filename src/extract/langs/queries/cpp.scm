; A specialisation has the name of what it specialises.
(class_specifier name: (template_type name: (_) @name) body: (_) @body) @definition.class
(struct_specifier name: (template_type name: (_) @name) body: (_) @body) @definition.struct
(class_specifier name: (_) @name body: (_) @body) @definition.class
(namespace_definition name: (_) @name body: (_) @body) @definition.namespace
(alias_declaration name: (_) @name type: (_) @type) @definition.alias
(concept_definition name: (_) @name) @definition.protocol
(template_declaration (function_definition declarator: (function_declarator declarator: (_) @name))) @definition.function
(template_declaration (class_specifier name: (_) @name body: (_))) @definition.class
(template_declaration (struct_specifier name: (_) @name body: (_))) @definition.struct
(field_declaration type: (_)? @type declarator: (function_declarator declarator: (_) @name)) @definition.method
(field_declaration type: (_) @type declarator: (pointer_declarator declarator: (function_declarator declarator: (field_identifier) @name))) @definition.method
(field_declaration type: (_) @type declarator: (reference_declarator (function_declarator declarator: (field_identifier) @name))) @definition.method
(declaration declarator: (function_declarator declarator: [(identifier) (destructor_name)] @name)) @definition.function
(declaration type: (_) @type declarator: (reference_declarator (function_declarator declarator: (identifier) @name))) @definition.function
(function_definition declarator: (reference_declarator (function_declarator declarator: (_) @name)) body: (_) @body) @definition.function
(function_definition declarator: (operator_cast) @name body: (_) @body) @definition.function
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

(parameter_declaration type: (_) @type declarator: (_) @name) @parameter

(base_class_clause [(type_identifier) (qualified_identifier) (template_type)] @heritage.declared)

(using_declaration (qualified_identifier) @reference.import)
(preproc_include path: (_) @reference.import)
(type_identifier) @reference.type
(qualified_identifier scope: (_) @receiver name: (type_identifier) @name) @reference.type
(call_expression function: (qualified_identifier) @name arguments: (_) @arguments) @reference.call
(call_expression function: (template_function name: (_) @name) arguments: (_) @arguments) @reference.call
(new_expression type: (_) @name arguments: (_)? @arguments) @reference.call
(call_expression function: (identifier) @name arguments: (_) @arguments) @reference.call
(call_expression function: (field_expression argument: (_) @receiver field: (_) @name)
  arguments: (_) @arguments) @reference.call

(comment) @comment
(lambda_expression) @local
(access_specifier) @section
