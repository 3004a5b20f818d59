(function_item name: (_) @name return_type: (_)? @type body: (_) @body) @definition.function
(function_signature_item name: (_) @name return_type: (_)? @type) @definition.function
(struct_item name: (_) @name body: (field_declaration_list)? @body) @definition.struct
(union_item name: (_) @name body: (_) @body) @definition.struct
(enum_item name: (_) @name body: (_) @body) @definition.enum
(enum_variant name: (_) @name) @definition.constant
(field_declaration name: (_) @name type: (_) @type) @definition.property
(trait_item name: (_) @name body: (_) @body) @definition.trait
(impl_item type: (_) @name body: (_) @body) @definition.extension
(mod_item name: (_) @name body: (_)? @body) @definition.module
(const_item name: (_) @name type: (_) @type) @definition.constant
(static_item name: (_) @name type: (_) @type) @definition.variable
(type_item name: (_) @name type: (_) @type) @definition.alias
(associated_type name: (_) @name) @definition.alias
(macro_definition name: (_) @name) @definition.macro

(parameter pattern: (_) @name type: (_) @type) @parameter
(self_parameter (self) @name) @parameter

(impl_item trait: (_) @heritage.extension type: (_) @subject)
(trait_item bounds: (trait_bounds [(type_identifier) (scoped_type_identifier) (generic_type)] @heritage.declared))
(attribute_item (attribute (identifier) @_derive
  arguments: (token_tree (identifier) @heritage.derived)) (#eq? @_derive "derive"))
(where_clause) @condition

(use_declaration argument: (_) @reference.import)
(use_declaration (visibility_modifier) argument: (_) @reference.export)
(extern_crate_declaration name: (_) @reference.import alias: (_)? @alias)
(extern_crate_declaration (visibility_modifier) name: (_) @reference.export alias: (_)? @alias)
(type_identifier) @reference.type
(scoped_type_identifier path: (_) @receiver name: (_) @name) @reference.type
(call_expression function: (identifier) @name arguments: (_) @arguments) @reference.call
(call_expression function: (scoped_identifier path: (_) @receiver name: (_) @name)
  arguments: (_) @arguments) @reference.call
(call_expression function: (field_expression value: (_) @receiver field: (_) @name)
  arguments: (_) @arguments) @reference.call
(call_expression function: (generic_function function: (identifier) @name)
  arguments: (_) @arguments) @reference.call
(call_expression function: (generic_function function: (scoped_identifier path: (_) @receiver name: (_) @name))
  arguments: (_) @arguments) @reference.call
(call_expression function: (generic_function function: (field_expression value: (_) @receiver field: (_) @name))
  arguments: (_) @arguments) @reference.call
(macro_invocation macro: (_) @name) @reference.call
; What a macro is given is not parsed; a name before brackets is a call there too.
; Some names are words of the language elsewhere: `Hir::char('a')`, `Config::default()`.
(token_tree (identifier) @name . (token_tree "(")) @reference.call
(token_tree (identifier) @name . "::" . "<" . (_) . ">" . (token_tree "(")) @reference.call
(token_tree (primitive_type) @name . (token_tree "(")) @reference.call
(token_tree "default" @name . (token_tree "(")) @reference.call
(token_tree "union" @name . (token_tree "(")) @reference.call

[(line_comment) (block_comment)] @comment
(attribute_item) @attribute

; `let x = match y { Some(x) => x, None => return }`: what an arm declares ends with it.
(let_declaration pattern: (identifier) @name !type value: (match_expression value: (_) @value body: (match_block (match_arm
  pattern: (match_pattern (tuple_struct_pattern type: (_) @_variant (identifier))) value: (identifier))))
  (#any-of? @_variant "Some" "Ok")) @binding.inner
(let_declaration pattern: (identifier) @name !type value: (if_expression
  condition: (let_condition pattern: (tuple_struct_pattern type: (_) @_variant (identifier)) value: (_) @value)
  consequence: (block . (identifier) .)) (#any-of? @_variant "Some" "Ok")) @binding.inner
(let_declaration pattern: (identifier) @name !type value: (match_expression body: (match_block (match_arm
  value: [(call_expression) (struct_expression)] @value)))) @binding
(let_declaration pattern: (identifier) @name type: (_)? @type value: (_)? @value) @binding
(let_declaration pattern: (tuple_pattern . "_" . "_" . (identifier) @binding))
(let_declaration pattern: (tuple_pattern . (_) . "_" . (identifier) @binding))
(let_declaration pattern: (tuple_pattern . "_" . (_) . (identifier) @binding))
(let_declaration pattern: (tuple_pattern (remaining_field_pattern) (identifier) @binding))
(let_declaration pattern: (tuple_pattern . "_" . (identifier) @name) value: (_) @value) @binding.second
(let_declaration pattern: (tuple_pattern . (identifier) @name) value: (_) @value) @binding
(let_declaration pattern: (tuple_pattern . (_) . (identifier) @name) value: (_) @value) @binding.second
(let_declaration pattern: (tuple_struct_pattern type: (_) @_variant (identifier) @name) value: (_) @value
  (#any-of? @_variant "Some" "Ok")) @binding.inner
(let_condition pattern: (tuple_struct_pattern type: (_) @_variant [(identifier) @name (mut_pattern (identifier) @name) (ref_pattern (identifier) @name)])
  value: (_) @value (#any-of? @_variant "Some" "Ok")) @binding.inner
(match_expression value: (_) @value body: (match_block (match_arm pattern: (match_pattern
  (tuple_struct_pattern type: (_) @_variant (identifier) @name)))) (#any-of? @_variant "Some" "Ok")) @binding.inner
(for_expression pattern: (identifier) @name value: (_) @value) @binding.element
(for_expression pattern: (tuple_pattern . "_" . "_" . (identifier) @binding))
(for_expression pattern: (tuple_pattern . (_) . "_" . (identifier) @binding))
(for_expression pattern: (tuple_pattern . "_" . (_) . (identifier) @binding))
(for_expression pattern: (tuple_pattern (remaining_field_pattern) (identifier) @binding))
(for_expression pattern: (tuple_pattern . "_" . (identifier) @name) value: (call_expression) @value) @binding.second
(for_expression pattern: (tuple_pattern . (_) . (identifier) @name) value: (call_expression) @value) @binding.second
(call_expression function: (_) @value
  arguments: (arguments (closure_expression parameters: (closure_parameters . [(identifier) @name (reference_pattern (identifier) @name)] .)))) @binding.given
(closure_parameters (identifier) @binding)
(closure_parameters (parameter pattern: (identifier) @name type: (_) @type) @binding)
(match_expression value: (_) @value body: (match_block (match_arm pattern: (match_pattern . (identifier) @name .)))) @binding
; The blank of a pattern is no node with a name, and anchors skip it: places are counted past it here.
(tuple_struct_pattern type: (_) . "_" . "_" . [(identifier) @binding (mut_pattern (identifier) @binding) (ref_pattern (identifier) @binding)])
(tuple_struct_pattern type: (_) . (_) . "_" . [(identifier) @binding (mut_pattern (identifier) @binding) (ref_pattern (identifier) @binding)])
(tuple_struct_pattern type: (_) . "_" . (_) . [(identifier) @binding (mut_pattern (identifier) @binding) (ref_pattern (identifier) @binding)])
(tuple_struct_pattern type: (_) (remaining_field_pattern) [(identifier) @binding (mut_pattern (identifier) @binding) (ref_pattern (identifier) @binding)])
(tuple_struct_pattern type: (_) @value . "_" . [(identifier) @name (mut_pattern (identifier) @name) (ref_pattern (identifier) @name)]) @binding.second
(tuple_struct_pattern type: (_) @value . [(identifier) @name (mut_pattern (identifier) @name) (ref_pattern (identifier) @name)]) @binding.inner
(tuple_struct_pattern type: (_) @value . (_) . [(identifier) @name (mut_pattern (identifier) @name) (ref_pattern (identifier) @name)]) @binding.second
(tuple_struct_pattern type: (_) (identifier) @binding)
(tuple_pattern (identifier) @binding)
(struct_pattern type: (_) @value (field_pattern name: (shorthand_field_identifier) @name @case)) @binding
(struct_pattern type: (_) @value (field_pattern name: (field_identifier) @case
  pattern: [(identifier) @name (mut_pattern (identifier) @name) (ref_pattern (identifier) @name)])) @binding
(field_pattern name: (shorthand_field_identifier) @binding)
(field_pattern pattern: (identifier) @binding)
[(block) (closure_expression) (match_arm) (for_expression) (if_expression) (while_expression)] @block
(scoped_identifier path: (identifier) @name @reference.qualifier (#starts-upper? @name))
(scoped_identifier path: (scoped_identifier path: (_) @receiver name: (identifier) @name @reference.qualifier) (#starts-upper? @name))
