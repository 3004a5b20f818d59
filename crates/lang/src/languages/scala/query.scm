(class_definition name: (_) @name body: (_)? @body) @definition.class
(object_definition name: (_) @name body: (_)? @body) @definition.class
(package_object name: (_) @name body: (_)? @body) @definition.class
(trait_definition name: (_) @name body: (_)? @body) @definition.trait
(enum_definition name: (_) @name body: (_) @body) @definition.enum
(simple_enum_case name: (_) @name) @definition.constant
(full_enum_case name: (_) @name) @definition.constant
(function_definition name: (_) @name return_type: (_)? @type body: (_)? @body) @definition.function
(function_declaration name: (_) @name return_type: (_)? @type) @definition.function
(given_definition name: (_) @name body: (_)? @body) @definition.constant
(val_definition pattern: (identifier) @name type: (_)? @type) @definition.variable
(var_definition pattern: (identifier) @name type: (_)? @type) @definition.variable
(val_declaration name: (identifier) @name type: (_)? @type) @definition.variable
(var_declaration name: (identifier) @name type: (_)? @type) @definition.variable
(type_definition name: (_) @name) @definition.alias

(parameter name: (_) @name type: (_)? @type) @parameter
(class_parameter name: (_) @name type: (_)? @type) @parameter

(extends_clause [(type_identifier) (generic_type) (stable_type_identifier) (annotated_type)] @heritage.declared)
(derives_clause type: (_) @heritage.derived)

(import_declaration) @reference.import
(type_identifier) @reference.type
(stable_type_identifier (_) @receiver . (type_identifier) @name) @reference.type
(call_expression function: (identifier) @name arguments: (_) @arguments) @reference.call
(call_expression function: (field_expression value: (_) @receiver field: (_) @name)
  arguments: (_) @arguments) @reference.call
(call_expression function: (generic_function function: (identifier) @name) arguments: (_) @arguments) @reference.call
(call_expression function: (generic_function function: (field_expression value: (_) @receiver field: (_) @name))
  arguments: (_) @arguments) @reference.call
(instance_expression (type_identifier) @name arguments: (_)? @arguments) @reference.call

[(comment) (block_comment)] @comment
(lambda_expression) @local
(field_expression value: (identifier) @name @reference.qualifier (#starts-upper? @name))
