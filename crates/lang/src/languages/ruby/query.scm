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

(assignment left: (identifier) @name right: (_) @value) @binding

(comment) @comment
[(block) (do_block) (lambda)] @local
(body_statement (identifier) @section (#any-of? @section "public" "private" "protected"))
