(call target: (identifier) @_kind (arguments (alias) @name) (do_block) @body
  (#any-of? @_kind "defmodule" "defprotocol")) @definition.module
(call target: (identifier) @_kind (arguments (alias) @name) (do_block) @body (#eq? @_kind "defimpl")) @definition.module
(call target: (identifier) @_kind (arguments (call target: (identifier) @name)) (do_block)? @body
  (#any-of? @_kind "def" "defp" "defmacro" "defmacrop" "defdelegate" "defguard" "defn")) @definition.function
(call target: (identifier) @_kind (arguments (identifier) @name) (do_block)? @body
  (#any-of? @_kind "def" "defp" "defmacro" "defmacrop")) @definition.function
(call target: (identifier) @_kind
  (arguments (binary_operator left: (call target: (identifier) @name) operator: "when")) (do_block)? @body
  (#any-of? @_kind "def" "defp" "defmacro" "defmacrop" "defguard")) @definition.function
(call target: (identifier) @_kind (arguments (string) @name) (do_block) @body
  (#any-of? @_kind "test" "describe")) @definition.function
(unary_operator operator: "@" operand: (call target: (identifier) @_type
  (arguments (binary_operator left: [(identifier) @name (call target: (identifier) @name)] operator: "::")))
  (#any-of? @_type "type" "typep" "opaque")) @definition.alias
(unary_operator operator: "@" operand: (call target: (identifier) @_callback
  (arguments (binary_operator left: (call target: (identifier) @name) operator: "::")))
  (#any-of? @_callback "callback" "macrocallback")) @definition.function

(call target: (identifier) @_kind (arguments (call (arguments (_) @parameter)))
  (#any-of? @_kind "def" "defp" "defmacro" "defmacrop"))

(call target: (identifier) @_use (arguments . (alias) @heritage.declared) (#any-of? @_use "use"))
(unary_operator operator: "@" operand: (call target: (identifier) @_behaviour (arguments (alias) @heritage.declared))
  (#eq? @_behaviour "behaviour"))

(call target: (identifier) @_import (arguments . (alias) @reference.import)
  (#any-of? @_import "alias" "import" "require" "use"))
(call target: (identifier) @_import (arguments . (dot left: (alias) @receiver right: (tuple (alias) @name)))
  (#any-of? @_import "alias" "import" "require")) @reference.import
(call target: (identifier) @name (arguments) @arguments
  (#not-any-of? @name "def" "defp" "defmodule" "defmacro" "defmacrop" "alias" "import" "require" "use" "defstruct" "defimpl" "defprotocol" "test" "describe" "doc" "moduledoc" "spec" "type" "typep" "behaviour" "callback")) @reference.call
(call target: (dot left: (_) @receiver right: (identifier) @name) (arguments)? @arguments) @reference.call

(comment) @comment
(unary_operator operator: "@" operand: (call target: (identifier) @_doc) (#any-of? @_doc "doc" "typedoc")) @comment
(unary_operator operator: "@" operand: (call target: (identifier) @_spec) (#any-of? @_spec "spec" "impl" "deprecated")) @attribute
