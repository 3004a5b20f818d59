(element (start_tag (attribute (attribute_name) @_id (quoted_attribute_value (attribute_value) @name)))
  (#eq? @_id "id")) @definition.section
(script_element (start_tag (attribute (attribute_name) @_src (quoted_attribute_value (attribute_value) @reference.import)))
  (#eq? @_src "src"))
(comment) @comment
