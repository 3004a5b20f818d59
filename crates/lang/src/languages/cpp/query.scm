; What C++ has beside what it shares with C.
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
; A test of a fixture is rewritten to a function of it, whose name has no `::` in the original text.
(function_definition declarator: (function_declarator declarator: (qualified_identifier
  scope: (namespace_identifier) @scope name: (identifier)) @name) body: (_) @body) @definition.function
(declaration declarator: (function_declarator declarator: [(identifier) (destructor_name)] @name)) @definition.function
(declaration type: (_) @type declarator: (reference_declarator (function_declarator declarator: (identifier) @name))) @definition.function
(function_definition declarator: (reference_declarator (function_declarator declarator: (_) @name)) body: (_) @body) @definition.function
(function_definition type: (_) @type declarator: (reference_declarator (function_declarator declarator: (_) @name))) @definition.function
(function_definition declarator: (operator_cast) @name body: (_) @body) @definition.function

(optional_parameter_declaration type: (_) @type declarator: (_) @name) @parameter

(base_class_clause [(type_identifier) (qualified_identifier) (template_type)] @heritage.declared)

(using_declaration (qualified_identifier) @reference.import)
(qualified_identifier scope: (_) @receiver name: (type_identifier) @name) @reference.type
(call_expression function: (qualified_identifier) @name arguments: (_) @arguments) @reference.call
(call_expression function: (template_function name: (_) @name) arguments: (_) @arguments) @reference.call
(new_expression type: (_) @name arguments: (_)? @arguments) @reference.call

(lambda_expression) @local
(access_specifier) @section

(declaration type: [(type_identifier) (qualified_identifier) (template_type) (placeholder_type_specifier)] @type declarator: [
  (identifier) @name
  (pointer_declarator declarator: (identifier) @name)
  (reference_declarator (identifier) @name)] value: (_)? @value) @binding
(declaration type: [(type_identifier) (qualified_identifier) (template_type) (placeholder_type_specifier)] @type declarator: (init_declarator
  declarator: [(identifier) @name (pointer_declarator declarator: (identifier) @name) (reference_declarator (identifier) @name)]
  value: (_) @value)) @binding
(for_range_loop type: (_) @type declarator: [
  (identifier) @name
  (pointer_declarator declarator: (identifier) @name)
  (reference_declarator (identifier) @name)] right: (_) @value) @binding.element
(lambda_expression declarator: (abstract_function_declarator parameters: (parameter_list (parameter_declaration
  type: (_) @type declarator: [
    (identifier) @name
    (pointer_declarator declarator: (identifier) @name)
    (reference_declarator (identifier) @name)]) @binding)))
(catch_clause parameters: (parameter_list (parameter_declaration type: (_) @type
  declarator: (reference_declarator (identifier) @name)) @binding))
[(for_range_loop) (lambda_expression) (catch_clause)] @block
(qualified_identifier scope: (namespace_identifier) @name @reference.qualifier (#not-any-of? @name "std"))
