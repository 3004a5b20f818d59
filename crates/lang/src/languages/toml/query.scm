(table . [(bare_key) (dotted_key) (quoted_key)] @name) @definition.entry
(table_array_element . [(bare_key) (dotted_key) (quoted_key)] @name) @definition.entry
(document (pair . [(bare_key) (dotted_key) (quoted_key)] @name) @definition.entry)
(comment) @comment
