(document (block_node (block_mapping (block_mapping_pair key: (_) @name) @definition.entry)))
(comment) @comment
