(rule_set (selectors) @name (block) @body) @definition.entry
(keyframes_statement (keyframes_name) @name) @definition.entry
(declaration (property_name) @name (#starts-with? @name "--")) @definition.variable
(import_statement (string_value) @reference.import)
(comment) @comment
