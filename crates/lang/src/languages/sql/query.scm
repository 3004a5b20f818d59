(create_table (object_reference) @name (column_definitions)? @body) @definition.struct
(create_view (object_reference) @name) @definition.struct
(create_materialized_view (object_reference) @name) @definition.struct
(create_type (object_reference) @name) @definition.struct
(create_function . (keyword_create) (object_reference) @name (function_body)? @body) @definition.function
(create_index (keyword_index) (identifier) @name) @definition.entry
(column_definition name: (_) @name) @definition.property
(relation (object_reference) @reference.type)
(invocation (object_reference) @name) @reference.call
[(comment) (marginalia)] @comment
