(jsx_opening_element name: (identifier) @name (#starts-upper? @name)) @reference.call
(jsx_self_closing_element name: (identifier) @name (#starts-upper? @name)) @reference.call
