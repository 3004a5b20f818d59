(function_declaration name: (_) @name result: (_)? @type body: (_)? @body) @definition.function
(method_declaration
  receiver: (parameter_list (parameter_declaration type: (_) @scope))
  name: (_) @name result: (_)? @type body: (_)? @body) @definition.method
(type_spec name: (_) @name type: (struct_type (field_declaration_list) @body)) @definition.struct
(type_spec name: (_) @name type: (interface_type "{" @body)) @definition.interface
(type_spec name: (_) @name type: (_) @type) @definition.alias
(type_alias name: (_) @name type: (_) @type) @definition.alias
(type_declaration "type" . (type_spec name: (_) @name) .) @definition.alias
(type_declaration "type" . (type_alias name: (_) @name) .) @definition.alias
(method_elem name: (_) @name result: (_)? @type) @definition.method
(field_declaration name: (_) @name type: (_) @type) @definition.property
(const_spec name: (identifier) @name type: (_)? @type) @definition.constant
(var_spec name: (identifier) @name type: (_)? @type) @definition.variable
(const_declaration "const" . (const_spec name: (identifier) @name) .) @definition.constant
(var_declaration "var" . (var_spec name: (identifier) @name) .) @definition.variable

(parameter_declaration name: (_) @name type: (_) @type) @parameter
(variadic_parameter_declaration name: (_) @name type: (_) @type) @parameter

(field_declaration !name type: [(type_identifier) (qualified_type) (generic_type)] @heritage.declared)
(interface_type (type_elem . [(type_identifier) (qualified_type)] @heritage.declared .))

(import_spec name: (_)? @alias path: (_) @name) @reference.import
(type_identifier) @reference.type
(qualified_type package: (_) @receiver name: (_) @name) @reference.type
(call_expression function: (identifier) @name arguments: (_) @arguments) @reference.call
(call_expression function: (selector_expression operand: (_) @receiver field: (_) @name)
  arguments: (_) @arguments) @reference.call

(comment) @comment
(func_literal) @local

(method_declaration receiver: (parameter_list (parameter_declaration name: (_) @name type: (_) @type))) @binding
(short_var_declaration left: (expression_list . (identifier) @name) right: (expression_list . (_) @value)) @binding
(short_var_declaration left: (expression_list . (_) . (identifier) @name) right: (expression_list . (_) . (_) @value)) @binding
(short_var_declaration left: (expression_list . (_) . (identifier) @name) right: (expression_list . (_) @value .)) @binding.second
(short_var_declaration left: (expression_list (identifier) @binding))
(var_spec name: (identifier) @name type: (_)? @type value: (expression_list . (_) @value)?) @binding
(range_clause left: (expression_list (identifier) . (identifier) @name .) right: (_) @value) @binding.element
(range_clause left: (expression_list . (identifier) @binding))
(func_literal parameters: (parameter_list (parameter_declaration name: (_) @name type: (_) @type) @binding))
(type_switch_statement alias: (expression_list (identifier) @name) (type_case "case" . type: (_) @type . ":") @binding)
(type_switch_statement alias: (expression_list (identifier) @name) value: (_) @value) @binding
(type_switch_statement alias: (expression_list (identifier) @name) (type_case) @binding)
(type_switch_statement alias: (expression_list (identifier) @name) (default_case) @binding)
[(block) (func_literal) (if_statement) (for_statement) (expression_switch_statement) (type_switch_statement)
  (expression_case) (type_case) (communication_case) (default_case)] @block
