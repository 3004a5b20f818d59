(message (message_name) @name (message_body) @body) @definition.struct
(enum (enum_name) @name (enum_body) @body) @definition.enum
(enum_field . (identifier) @name) @definition.constant
(service (service_name) @name "{" @body) @definition.interface
(rpc (rpc_name) @name (message_or_enum_type) (message_or_enum_type) @type) @definition.method
(rpc (rpc_name) @name) @definition.method
(field (type) @type (identifier) @name) @definition.property
(map_field (identifier) @name) @definition.property
(oneof_field (type) @type (identifier) @name) @definition.property

(import path: (_) @reference.import)
(message_or_enum_type) @reference.type
(comment) @comment
