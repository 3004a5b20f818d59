//! The vocabulary of inference: types, and the values that expressions denote.

use std::rc::Rc;

use crate::modules::module_table::Module;
use crate::rules::Rules;
use crate::symbol_table::SymbolId;

/// Type arguments, bounds or alternatives. Shared, because types are cloned often, and a union of
/// all nodes of a syntax tree is long.
pub type Types = Rc<[Type]>;

/// The type of a value.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Type {
    /// A type that the repository defines.
    Known {
        /// The definition.
        symbol: SymbolId,
        /// The type arguments. Empty also stands for the type with its own parameters.
        arguments: Types,
    },
    /// A type of a library, by its name.
    Foreign {
        /// The last segment of its name, before an import renamed it.
        name: String,
        /// The type arguments.
        arguments: Types,
        /// The rules of the language that uses it, which know some library types.
        rules: RulesRef,
    },
    /// A parameter of a generic definition.
    Parameter {
        /// The name of the parameter.
        name: String,
        /// The types that it must conform to, whose members it has.
        bounds: Types,
    },
    /// A union or an intersection. Lookups do not distinguish them: a member of any counts.
    Union(Types),
    /// A tuple, or the several results of a function.
    Tuple(Types),
    /// A function, by its return type.
    Function(Box<Type>),
    /// A type operator over a type parameter. It is evaluated when the parameter is known.
    Deferred { base: Box<Type>, operator: TypeOperator },
    /// A value whose type has no members in the repository, such as a number. Unlike `Unknown`,
    /// this is a result: a call on it leads out of the repository.
    Opaque,
    /// Nothing is known.
    #[default]
    Unknown,
}

/// An operator that derives a type from another.
#[derive(Clone, Debug, PartialEq)]
pub enum TypeOperator {
    /// `Shape['name']`
    Member(String),
    /// `ReturnType<F>`
    ReturnType,
}

/// Rules by reference, so that types can be compared: rules are equal if their family is.
pub type RulesRef = &'static Rules;

impl PartialEq for Rules {
    fn eq(&self, other: &Rules) -> bool {
        self.family == other.family
    }
}

impl std::fmt::Debug for Rules {
    fn fmt(&self, formatter: &mut std::fmt::Formatter) -> std::fmt::Result {
        formatter.write_str(self.family)
    }
}

/// The use of a member: read or called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MemberUse {
    /// `page.open`: a field comes before a method.
    Read,
    /// `page.open()`: a method comes before a field.
    Call,
}

/// The inferred value of an expression.
#[derive(Clone, Debug, Default)]
pub enum InferredValue {
    /// A value of a type.
    Instance(Type),
    /// A type itself: the receiver of constructors and static members.
    Type(Type),
    /// A file or a directory.
    Module(Module),
    /// A `mod` block, a namespace or an object literal.
    Namespace(SymbolId),
    /// Functions of one name, and the type that owns them. The list is not empty.
    Functions(Vec<SymbolId>, Option<Type>),
    /// Something of a library.
    Foreign,
    /// Inference gave up.
    #[default]
    Unknown,
}
