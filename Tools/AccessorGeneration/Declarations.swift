/// A type as it is written in a declaration.
indirect enum TypeSyntax: Equatable, Sendable {
    /// `Foundation.Date`, `Set<Order>`: the names with dots between, and the arguments of the last.
    case named([String], [TypeSyntax])
    case optional(TypeSyntax)
    case array(TypeSyntax)
    case dictionary(TypeSyntax, TypeSyntax)
}

/// `class`, `struct`, `enum`, `protocol` or `typealias` somewhere in a module.
struct TypeDeclaration: Equatable {
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
struct ManagedMember: Equatable {
    struct Parameter: Equatable {
        /// `_` for none.
        var label: String
        var name: String
        var type: TypeSyntax
        var typeText: String
    }

    enum Form: Equatable {
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
struct ScannedFile: Equatable {
    /// `import Foundation` with the access before it; attributes but `@testable` are left out.
    struct Import: Equatable {
        var access: String
        var module: String
        var isTestable: Bool
    }

    var path: String
    var types: [TypeDeclaration] = []
    var members: [ManagedMember] = []
    var imports: [Import] = []
    /// The classes that were declared less visible than their file.
    var privateTypes: Set<[String]> = []

    /// Whether accessors are the same with another version of the file, which the lines of errors may differ in.
    func hasSameAccessors(as other: ScannedFile) -> Bool {
        var moved = other
        guard members.count == other.members.count else { return false }
        for index in members.indices { moved.members[index].line = members[index].line }
        return self == moved
    }
}

/// Something in the sources that the tool cannot do: shown as the compiler shows its own errors.
package struct SourceError: Error {
    package var file: String
    package var line: Int
    package var message: String

    package init(file: String, line: Int, message: String) {
        (self.file, self.line, self.message) = (file, line, message)
    }
}
