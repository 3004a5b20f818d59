(class name: (_) @name body: (_)? @body) @definition.class
(module name: (_) @name body: (_)? @body) @definition.module
(method name: (_) @name body: (body_statement)? @body (#eq? @name "initialize")) @definition.initializer
(method name: (_) @name body: (body_statement)? @body) @definition.function
(singleton_method name: (_) @name body: (body_statement)? @body) @definition.function
(assignment left: (constant) @name) @definition.constant
(call method: (identifier) @_attribute arguments: (argument_list (simple_symbol) @name)
  (#any-of? @_attribute "attr_reader" "attr_writer" "attr_accessor" "attr_internal" "cattr_accessor" "cattr_reader"
    "class_attribute" "mattr_accessor" "mattr_reader" "thread_mattr_accessor" "delegate")) @definition.property
(call method: (identifier) @_define arguments: (argument_list . (simple_symbol) @name)
  (#any-of? @_define "define_method" "define_singleton_method" "alias_method")) @definition.function
(alias name: (_) @name) @definition.function
(call method: (identifier) @_scope arguments: (argument_list . (simple_symbol) @name)
  (#any-of? @_scope "scope" "has_many" "has_one" "belongs_to")) @definition.property

(method_parameters (identifier) @parameter)
(method_parameters (optional_parameter name: (_) @name) @parameter)
(method_parameters (keyword_parameter name: (_) @name) @parameter)
(method_parameters [(splat_parameter) (hash_splat_parameter) (block_parameter)] @parameter)

(superclass (_) @heritage.declared)
(call method: (identifier) @_mixin arguments: (argument_list [(constant) (scope_resolution)] @heritage.declared)
  (#any-of? @_mixin "include" "extend" "prepend"))

(call method: (identifier) @_require arguments: (argument_list (string) @reference.import)
  (#any-of? @_require "require" "require_relative" "load" "autoload"))
(call !receiver method: (_) @name arguments: (_)? @arguments) @reference.call
(call receiver: (_) @receiver method: (_) @name arguments: (_)? @arguments) @reference.call
(call receiver: [(constant) (scope_resolution)] @reference.type)
; Classes as values: `raise Missing`, `rescue Missing, Late`, `when Page`, `x.is_a?(Page)`.
(argument_list [(constant) (scope_resolution)] @reference.type)
(exceptions [(constant) (scope_resolution)] @reference.type)
(pattern [(constant) (scope_resolution)] @reference.type)
(pair value: [(constant) (scope_resolution)] @reference.type)
(array [(constant) (scope_resolution)] @reference.type)
(assignment right: [(constant) (scope_resolution)] @reference.type)
(optional_parameter value: [(constant) (scope_resolution)] @reference.type)
(binary [(constant) (scope_resolution)] @reference.type)
; A word is a variable, or calls a method without arguments.
(identifier) @reference.bare

; A variable of the function stays after the block that sets it; parameters of blocks end with it.
(assignment left: (identifier) @name @hoisted right: (_) @value) @binding
(operator_assignment left: (identifier) @name @hoisted right: (_) @value) @binding
(left_assignment_list (identifier) @binding @hoisted)
(block_parameters (identifier) @binding)
(block_parameters (optional_parameter name: (identifier) @binding))
(block_parameters (keyword_parameter name: (identifier) @binding))
(block_parameters (splat_parameter name: (identifier) @binding))
(block_parameters (hash_splat_parameter name: (identifier) @binding))
(block_parameters (block_parameter name: (identifier) @binding))
(block_parameters (destructured_parameter (identifier) @binding))
(lambda_parameters (identifier) @binding)
(lambda_parameters (optional_parameter name: (identifier) @binding))
(lambda_parameters (keyword_parameter name: (identifier) @binding))
(exception_variable (identifier) @binding)
(for pattern: (identifier) @binding)

(comment) @comment
[(block) (do_block) (lambda)] @local
[(block) (do_block) (lambda)] @block
(body_statement (identifier) @section (#any-of? @section "public" "private" "protected"))
