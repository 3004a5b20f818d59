(document (object (pair key: (string) @name) @definition.entry))
