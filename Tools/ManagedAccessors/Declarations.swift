/// A type as it is written in a declaration.
indirect enum TypeSyntax: Equatable, Sendable {
    /// `Foundation.Date`, `Set<Order>`: the names with dots between, and the arguments of the last.
    case named([String], [TypeSyntax])
    case optional(TypeSyntax)
    case array(TypeSyntax)
    case dictionary(TypeSyntax, TypeSyntax)
}

/// `class`, `struct`, `enum`, `protocol` or `typealias` somewhere in a module.
struct TypeDeclaration {
    enum Kind: Equatable {
        case `class`, `struct`, `enum`, `protocol`
        case alias(TypeSyntax)
    }

    var kind: Kind
    var module: String
    /// With the types it is nested in, outermost first.
    var path: [String]
    /// The first type after the colon: of a class its superclass, of an enumeration its raw type.
    var superclass: [String]?
}

/// A property or method that `@NSManaged` leaves without a body.
struct ManagedMember {
    struct Parameter {
        /// `_` for none.
        var label: String
        var name: String
        var type: TypeSyntax
        var typeText: String
    }

    enum Form {
        case property(TypeSyntax, text: String)
        case method([Parameter])
    }

    enum Access: String {
        case `private`, `fileprivate`, `internal`, `package`, `public`
    }

    var name: String
    var form: Form
    var access: Access
    /// The class, as its declaration or extension names it.
    var path: [String]
    var isInExtension: Bool
    var file: String
    var line: Int
}

/// What the scanner found in one file.
struct ScannedFile {
    var path: String
    var types: [TypeDeclaration] = []
    var members: [ManagedMember] = []
    /// `import Foundation` with the access before it, and whether it is `@testable`; other attributes are left out.
    var imports: [(access: String, module: String, isTestable: Bool)] = []
    /// The classes that were declared less visible than their file.
    var privateTypes: Set<[String]> = []
}

/// Something in the sources that the tool cannot do: shown as the compiler shows its own errors.
struct SourceError: Error {
    var file: String
    var line: Int
    var message: String
}
