(class_declaration "interface" name: (_) @name (class_body)? @body) @definition.interface
(class_declaration "class" name: (_) @name (enum_class_body) @body) @definition.enum
(class_declaration "class" name: (_) @name (class_body)? @body) @definition.class
(object_declaration name: (_) @name (class_body)? @body) @definition.class
; What has a body of its own is a type of its own: an entry of an enum, and an object without a name.
(enum_entry (identifier) @name (class_body) @body) @definition.class
(object_literal "object" @name (class_body) @body) @definition.class
(enum_entry (identifier) @name) @definition.constant
(function_declaration name: (_) @name (function_value_parameters) . (_)? @type (function_body) @body) @definition.function
(function_declaration name: (_) @name (function_body)? @body) @definition.function
(secondary_constructor "constructor" @name (block)? @body) @definition.initializer
(property_declaration (variable_declaration . (identifier) @name . (_)? @type)) @definition.variable
(class_parameter ["val" "var"] (identifier) @name . (_) @type) @definition.property
(type_alias type: (_) @name) @definition.alias

(parameter . (identifier) @name . (_) @type) @parameter
(class_parameter (identifier) @name . (_) @type) @parameter

(delegation_specifier (constructor_invocation . (_) @heritage.declared))
(delegation_specifier (user_type) @heritage.declared)
(delegation_specifier (explicit_delegation . (_) @heritage.declared))
(class_declaration name: (_) @heritage.declared (enum_class_body (enum_entry (identifier) @subject (class_body))))

(import (qualified_identifier) @reference.import)
(import (qualified_identifier) @receiver "*" @name) @reference.import
(user_type (identifier) @reference.type)
(user_type (identifier) @receiver . (identifier) @name) @reference.type
; Of `f(1) { it }` the grammar takes `f(1)` for what is called.
(call_expression . (call_expression . (identifier) @name (value_arguments) @arguments) (annotated_lambda) @argument) @reference.call
(call_expression . (call_expression . (navigation_expression (_) @receiver (identifier) @name .) (value_arguments) @arguments)
  (annotated_lambda) @argument) @reference.call
(call_expression . (identifier) @name (value_arguments)? @arguments (annotated_lambda)? @argument) @reference.call
(call_expression . (navigation_expression (_) @receiver (identifier) @name .)
  (value_arguments)? @arguments (annotated_lambda)? @argument) @reference.call
(constructor_invocation . (_) @name (value_arguments) @arguments) @reference.call

[(line_comment) (block_comment)] @comment
[(lambda_literal) (anonymous_function)] @local

(property_declaration (variable_declaration . (identifier) @name . (_)? @type) "=" . (_) @value) @binding
(property_declaration (variable_declaration . (identifier) @name . (_) @type)) @binding
(for_statement (variable_declaration . (identifier) @name) . (_) @value) @binding.element
(call_expression . (navigation_expression . (_) @value)
  (annotated_lambda (lambda_literal (lambda_parameters . (variable_declaration . (identifier) @name))))) @binding.element
(call_expression . (navigation_expression . (_) @value (identifier) @_scope .) (annotated_lambda (lambda_literal) @implicit)
  (#any-of? @_scope "let" "also" "takeIf" "takeUnless"))
(call_expression . (navigation_expression . (_) @value) (annotated_lambda (lambda_literal) @implicit.element))
(lambda_literal) @implicit
(lambda_parameters (variable_declaration . (identifier) @name . (_)? @type) @binding)
(return_expression (_) @binding.returned)
(function_body "=" . (_) @binding.returned)
(lambda_literal) @closure
[(block) (lambda_literal) (anonymous_function) (for_statement) (when_expression) (when_entry) (catch_block)] @block
(navigation_expression . (identifier) @name @reference.qualifier (#starts-upper? @name))
