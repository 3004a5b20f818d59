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
(extern_crate_declaration name: (_) @reference.import)
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
(token_tree (identifier) @name . (token_tree "(")) @reference.call

[(line_comment) (block_comment)] @comment
(attribute_item) @attribute
