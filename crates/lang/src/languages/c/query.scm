(function_definition declarator: (function_declarator declarator: (_) @name) body: (_) @body) @definition.function
(function_definition declarator: (pointer_declarator declarator: (function_declarator declarator: (_) @name)) body: (_) @body) @definition.function
(function_definition declarator: (pointer_declarator declarator: (pointer_declarator declarator: (function_declarator declarator: (_) @name))) body: (_) @body) @definition.function
(function_definition type: (_) @type declarator: (function_declarator declarator: (_) @name)) @definition.function
(function_definition type: (_) @type declarator: (pointer_declarator declarator: (function_declarator declarator: (_) @name))) @definition.function
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

(preproc_include path: (_) @reference.import)
(type_identifier) @reference.type
(call_expression function: (identifier) @name arguments: (_) @arguments) @reference.call
(call_expression function: (field_expression argument: (_) @receiver field: (_) @name)
  arguments: (_) @arguments) @reference.call

; `.read = my_read`: a function that is called through the field.
(initializer_pair designator: (field_designator) value: (identifier) @reference.taken)
(initializer_pair designator: (field_designator) value: (pointer_expression argument: (identifier) @reference.taken))

(comment) @comment

; What names stand for; numbers have nothing that could be called.
(declaration type: [(type_identifier) (struct_specifier !body) (union_specifier !body)] @type declarator: [
  (identifier) @name
  (pointer_declarator declarator: (identifier) @name)
  (array_declarator declarator: (identifier) @name)]) @binding
(declaration type: [(type_identifier) (struct_specifier !body) (union_specifier !body)] @type declarator: (init_declarator
  declarator: [(identifier) @name (pointer_declarator declarator: (identifier) @name) (array_declarator declarator: (identifier) @name)]
  value: (_) @value)) @binding
[(compound_statement) (for_statement) (if_statement) (while_statement) (switch_statement)] @block
