(data_type name: (_) @name) @definition.struct
(newtype name: (_) @name) @definition.struct
(type_synonym name: (_) @name) @definition.alias
(class name: (_) @name declarations: (_)? @body) @definition.trait
(instance name: (_) @name declarations: (_)? @body) @definition.extension
(declarations (signature name: (variable) @name type: (_) @type) @definition.function)
(class_declarations (signature name: (variable) @name type: (_) @type) @definition.function)
(declarations (function name: (variable) @name) @definition.function)
(declarations (bind name: (variable) @name) @definition.function)
(instance_declarations (function name: (variable) @name) @definition.function)
(instance_declarations (bind name: (variable) @name) @definition.function)
(data_constructor constructor: (prefix name: (_) @name)) @definition.constant
(data_constructor constructor: (record name: (_) @name)) @definition.constant

(instance name: (_) @heritage.extension patterns: (type_patterns (_) @subject))
(deriving classes: (_ (name) @heritage.derived))

(import module: (_) @reference.import)
(name) @reference.type
(apply function: (variable) @reference.call)
(apply function: (qualified module: (_) @receiver id: (variable) @name)) @reference.call

[(comment) (haddock)] @comment
