(function_definition name: (_) @name body: (_) @body (#eq? @name "__init__")) @definition.initializer
(class_definition name: (_) @name body: (block . (expression_statement (string) @doc)?) @body) @definition.class
(function_definition name: (_) @name return_type: (_)? @type
  body: (block . (expression_statement (string) @doc)?) @body) @definition.function
(decorated_definition definition: (class_definition name: (_) @name)) @definition.class
(decorated_definition definition: (function_definition name: (_) @name)) @definition.function
(expression_statement (assignment left: (identifier) @name type: (_)? @type)) @definition.variable
(expression_statement (assignment left: (pattern_list (identifier) @name))) @definition.variable
(type_alias_statement left: (type (identifier) @name) right: (_) @type) @definition.alias

(parameters (identifier) @parameter)
(parameters [(list_splat_pattern) (dictionary_splat_pattern)] @parameter)
(default_parameter name: (_) @name) @parameter
(typed_parameter . (_) @name type: (_) @type) @parameter
(typed_default_parameter name: (_) @name type: (_) @type) @parameter

(class_definition superclasses: (argument_list [(identifier) (attribute)] @heritage.declared))
(class_definition superclasses: (argument_list (subscript value: (_) @heritage.declared)))

(import_statement name: (dotted_name) @reference.import)
(import_statement name: (aliased_import name: (_) @name alias: (_) @alias)) @reference.import
(import_from_statement module_name: (_) @receiver name: (dotted_name) @name) @reference.import
(import_from_statement module_name: (_) @receiver name: (aliased_import name: (_) @name alias: (_) @alias)) @reference.import
(import_from_statement module_name: (_) @receiver (wildcard_import) @name) @reference.import
(type (identifier) @reference.type)
(type (attribute object: (_) @receiver attribute: (_) @name)) @reference.type
(type (generic_type (identifier) @reference.type))
(type (subscript value: (identifier) @reference.type))
(type (binary_operator (identifier) @reference.type))
(call function: (identifier) @name arguments: (_) @arguments) @reference.call
(call function: (attribute object: (_) @receiver attribute: (_) @name) arguments: (_) @arguments) @reference.call
(decorator [(identifier) (attribute)] @reference.call)

(comment) @comment
[(lambda) (for_statement) (while_statement) (with_statement)] @local

(assignment left: (identifier) @name type: (_)? @type right: (_)? @value) @binding
(assignment left: (attribute object: (identifier) @_self) @name type: (_)? @type right: (_)? @value (#eq? @_self "self")) @binding
(assignment left: (pattern_list . (identifier) @name) right: [(call) (await)] @value) @binding
(assignment left: (pattern_list . (_) . (identifier) @name) right: [(call) (await)] @value) @binding.second
(assignment left: (pattern_list (identifier) @binding))
(assignment left: (tuple_pattern (identifier) @binding))
(named_expression name: (identifier) @name value: (_) @value) @binding @hoisted
(for_statement left: (identifier) @name right: (_) @value) @binding.element
(for_statement left: (pattern_list . (_) . (identifier) @name) right: (call) @value) @binding.second
(for_statement left: (pattern_list (identifier) @binding))
(for_in_clause left: (identifier) @name right: (_) @value) @binding.element
(for_in_clause left: (pattern_list . (_) . (identifier) @name) right: (call) @value) @binding.second
(for_in_clause left: (pattern_list (identifier) @binding))
(with_item value: (as_pattern . (_) @value alias: (as_pattern_target (identifier) @name))) @binding.inner
(except_clause value: (as_pattern . (_) @type alias: (as_pattern_target (identifier) @name))) @binding
(lambda_parameters (identifier) @binding)
(return_statement (_) @binding.returned)
(lambda) @block
[(list_comprehension) (set_comprehension) (dictionary_comprehension) (generator_expression)] @comprehension
(attribute object: (identifier) @name @reference.qualifier (#starts-upper? @name))
