; Optional parts are patterns of their own here: together they take a second to compile.
(class_declaration declaration_kind: "class" . name: (_) @name body: (_) @body) @definition.class
(class_declaration declaration_kind: "struct" . name: (_) @name body: (_) @body) @definition.struct
(class_declaration declaration_kind: "enum" . name: (_) @name body: (_) @body) @definition.enum
(class_declaration declaration_kind: "actor" . name: (_) @name body: (_) @body) @definition.actor
(class_declaration declaration_kind: "extension" . name: (_) @name body: (_) @body) @definition.extension
(protocol_declaration name: (_) @name body: (_) @body) @definition.protocol
(function_declaration "func" . name: _ @name) @definition.function
(function_declaration "func" . name: _ @name body: (_) @body) @definition.function
(function_declaration "func" . name: _ @name "->" . (_) @type) @definition.function
(protocol_function_declaration "func" . name: _ @name) @definition.function
(protocol_function_declaration "func" . name: _ @name "->" . (_) @type) @definition.function
(init_declaration name: "init" @name body: (_)? @body) @definition.initializer
(deinit_declaration "deinit" @name body: (_) @body) @definition.deinitializer
(subscript_declaration "subscript" @name (computed_property)? @body) @definition.subscript
(subscript_declaration "subscript" @name "->" . (_) @type) @definition.subscript
(typealias_declaration "typealias" . name: (_) @name (_) @type .) @definition.alias
(associatedtype_declaration "associatedtype" . name: (_) @name) @definition.alias
(macro_declaration "macro" . (simple_identifier) @name) @definition.macro
(property_declaration
  name: (pattern bound_identifier: (simple_identifier) @name) . (type_annotation)? @type
  computed_value: (_)? @body) @definition.variable
(protocol_property_declaration
  name: (pattern bound_identifier: (simple_identifier) @name) (type_annotation)? @type) @definition.variable
(enum_entry name: (simple_identifier) @name) @definition.constant

(parameter external_name: (_) @name ":" (_) @type .) @parameter
(parameter . name: (simple_identifier) @name ":" (_) @type .) @parameter

(inheritance_specifier inherits_from: (_) @heritage.declared)
(type_constraints) @condition

(import_declaration (identifier) @reference.import)
(user_type (type_identifier) @reference.type)
(user_type (type_identifier) @receiver . (type_identifier) @name) @reference.type
; A subscript is a call with square brackets to the grammar.
(call_expression . (simple_identifier) @name
  (call_suffix . (value_arguments . "(") @arguments (lambda_literal)* @argument)) @reference.call
(call_expression . (simple_identifier) @name (call_suffix . (lambda_literal)+ @argument)) @reference.call
(call_expression
  . (navigation_expression target: _ @receiver suffix: (navigation_suffix suffix: (simple_identifier) @name))
  (call_suffix . (value_arguments . "(") @arguments (lambda_literal)* @argument)) @reference.call
(call_expression
  . (navigation_expression target: _ @receiver suffix: (navigation_suffix suffix: (simple_identifier) @name))
  (call_suffix . (lambda_literal)+ @argument)) @reference.call
(call_expression
  . (prefix_expression operation: "." target: (simple_identifier) @name)
  (call_suffix . (value_arguments . "(") @arguments (lambda_literal)* @argument)) @reference.call
; Of `a + g()` and `!g()` the grammar takes everything before the brackets for what is called.
(call_expression
  . (additive_expression rhs: (simple_identifier) @name)
  (call_suffix . (value_arguments . "(") @arguments (lambda_literal)* @argument)) @reference.call
(call_expression
  . (multiplicative_expression rhs: (simple_identifier) @name)
  (call_suffix . (value_arguments . "(") @arguments (lambda_literal)* @argument)) @reference.call
(call_expression
  . (additive_expression rhs: (multiplicative_expression rhs: (simple_identifier) @name))
  (call_suffix . (value_arguments . "(") @arguments (lambda_literal)* @argument)) @reference.call
(call_expression
  . (prefix_expression operation: (bang) target: (simple_identifier) @name)
  (call_suffix . (value_arguments . "(") @arguments (lambda_literal)* @argument)) @reference.call
(call_expression
  . (prefix_expression operation: "-" target: (simple_identifier) @name)
  (call_suffix . (value_arguments . "(") @arguments (lambda_literal)* @argument)) @reference.call
(call_expression
  . (try_expression expr: (additive_expression rhs: (simple_identifier) @name))
  (call_suffix . (value_arguments . "(") @arguments (lambda_literal)* @argument)) @reference.call
(call_expression
  . (additive_expression rhs: (navigation_expression target: _ @receiver suffix: (navigation_suffix suffix: (simple_identifier) @name)))
  (call_suffix . (value_arguments . "(") @arguments (lambda_literal)* @argument)) @reference.call
(call_expression
  . (multiplicative_expression rhs: (navigation_expression target: _ @receiver suffix: (navigation_suffix suffix: (simple_identifier) @name)))
  (call_suffix . (value_arguments . "(") @arguments (lambda_literal)* @argument)) @reference.call
(call_expression
  . (additive_expression rhs: (multiplicative_expression rhs: (navigation_expression target: _ @receiver suffix: (navigation_suffix suffix: (simple_identifier) @name))))
  (call_suffix . (value_arguments . "(") @arguments (lambda_literal)* @argument)) @reference.call
(call_expression
  . (prefix_expression operation: (bang) target: (navigation_expression target: _ @receiver suffix: (navigation_suffix suffix: (simple_identifier) @name)))
  (call_suffix . (value_arguments . "(") @arguments (lambda_literal)* @argument)) @reference.call
(call_expression
  . (prefix_expression operation: "-" target: (navigation_expression target: _ @receiver suffix: (navigation_suffix suffix: (simple_identifier) @name)))
  (call_suffix . (value_arguments . "(") @arguments (lambda_literal)* @argument)) @reference.call
(call_expression
  . (try_expression expr: (additive_expression rhs: (navigation_expression target: _ @receiver suffix: (navigation_suffix suffix: (simple_identifier) @name))))
  (call_suffix . (value_arguments . "(") @arguments (lambda_literal)* @argument)) @reference.call
(constructor_expression constructed_type: (_) @name
  (constructor_suffix (value_arguments)? @arguments (lambda_literal)* @argument)) @reference.call
(macro_invocation (simple_identifier) @name
  (call_suffix (value_arguments)? @arguments (lambda_literal)* @argument)) @reference.call

[(comment) (multiline_comment)] @comment
(lambda_literal) @local

(property_declaration name: (pattern bound_identifier: (simple_identifier) @name) . (type_annotation)? @type value: (_)? @value) @binding
(parameter external_name: (_) name: (simple_identifier) @name ":" (_) @type .) @binding
(if_statement bound_identifier: (simple_identifier) @name . condition: "=" . condition: (_) @value) @binding.inner
(guard_statement bound_identifier: (simple_identifier) @name . condition: "=" . condition: (_) @value) @binding.inner
(while_statement bound_identifier: (simple_identifier) @name . condition: "=" . condition: (_) @value) @binding.inner
(for_statement item: (pattern bound_identifier: (simple_identifier) @name) collection: (_) @value) @binding.element
(call_expression . [(navigation_expression) (simple_identifier)] @value
  (call_suffix (lambda_literal type: (lambda_function_type (lambda_function_type_parameters . (lambda_parameter name: (simple_identifier) @name .) .))))) @binding.given
(call_expression . [(navigation_expression) (simple_identifier)] @value
  (call_suffix (value_arguments (value_argument value: (lambda_literal type: (lambda_function_type
    (lambda_function_type_parameters . (lambda_parameter name: (simple_identifier) @name .) .))))))) @binding.given
(lambda_parameter name: (simple_identifier) @name ":" (_) @type) @binding
(lambda_parameter name: (simple_identifier) @binding)
(call_expression . [(navigation_expression) (simple_identifier)] @value (call_suffix (lambda_literal) @implicit.given))
(call_expression . [(navigation_expression) (simple_identifier)] @value
  (call_suffix (value_arguments (value_argument value: (lambda_literal) @implicit.given))))
(lambda_literal) @implicit
(switch_statement expr: (_) @value (switch_entry (switch_pattern (pattern
  (simple_identifier) @case . "(" . (pattern (simple_identifier) @name))))) @binding.inner
(switch_statement expr: (_) @value (switch_entry (switch_pattern (pattern
  (simple_identifier) @case . "(" . (simple_identifier) . ":" . (pattern (simple_identifier) @name))))) @binding.inner
(switch_statement expr: (_) @value (switch_entry (switch_pattern (pattern
  (simple_identifier) @case . "(" . (pattern) . "," . (pattern (simple_identifier) @name))))) @binding.second
(switch_entry (switch_pattern (pattern (pattern (simple_identifier) @binding))))
(if_statement condition: (simple_identifier) @case . condition: "(" . condition: (pattern (simple_identifier) @name)
  . condition: ")" . condition: "=" . condition: (_) @value) @binding.inner
(guard_statement condition: (simple_identifier) @case . condition: "(" . condition: (pattern (simple_identifier) @name)
  . condition: ")" . condition: "=" . condition: (_) @value) @binding.inner
(control_transfer_statement "return" result: (_) @binding.returned)
(lambda_literal) @closure
; What `guard` declares is seen after it.
[(statements) (lambda_literal) (if_statement) (for_statement) (while_statement) (switch_entry) (catch_block)] @block
(await_expression) @awaited
(navigation_expression target: (simple_identifier) @name @reference.qualifier (#starts-upper? @name))
