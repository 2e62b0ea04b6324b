#if SwiftData
import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

/// The mistakes that `@Model` refuses or warns of.
enum ModelDiagnostic: String {
    case notAClass
    case constant
    case severalNames
    case transientWithoutValue
    case reservedName
    case lazyProperty
    case observedProperty
    case notAnActor
    case genericModel
    case markedTransient
    case markedWithoutStorage
    case missingType
    case notCodable
    case ownInverse
    case twoMarkers
    case uncounted
    case noInitializer
    case otherModel
    case unknownProperty

    private func text(_ name: String) -> String {
        switch self {
        case .notAClass: "@Model can only be attached to a class, not to \(name.article) \(name)"
        case .constant: "'\(name)' is persisted: declare it with 'var'. Swift 6 refuses 'let' here"
        case .severalNames: "Declare each persisted property of a model on its own"
        case .transientWithoutValue: "The transient property '\(name)' needs a default value"
        case .reservedName: "A model cannot persist a property named '\(name)'"
        case .lazyProperty: "'\(name)' is lazy and is not persisted: mark it @Transient"
        case .observedProperty: "The observers of '\(name)' are not called: it is persisted"
        case .genericModel: "A model cannot be generic: '\(name)' is one entity, with one name"
        case .markedTransient: "'\(name)' is transient: it is no attribute or relationship of its entity"
        case .markedWithoutStorage: "'\(name)' is not a stored property of models: it is not saved"
        case .missingType: "'\(name)' needs a type: its value does not tell one"
        case .notCodable: "'\(name)' has a type that is never Codable: it cannot be saved"
        case .ownInverse: "The relationship '\(name)' names itself as its inverse"
        case .twoMarkers: "'\(name)' is either an attribute or a relationship"
        case .uncounted: "'\(name)' is persisted: it cannot be weak or unowned. Models are related by their identifiers"
        case .noInitializer: "'\(name)' has no initializer: declare one, so that models can be made"
        case .otherModel: "This stands in '\(name)', and can be of its properties only"
        case .unknownProperty: "'\(name)' is no saved property of the model"
        case .notAnActor: "@ModelActor can only be attached to an actor, not to \(name.article) \(name)"
        }
    }

    private var severity: DiagnosticSeverity {
        switch self {
        case .constant, .observedProperty, .lazyProperty, .markedWithoutStorage: .warning
        default: .error
        }
    }

    func at(_ node: some SyntaxProtocol, name: String, fixIts: [FixIt] = []) -> Diagnostic {
        let message = Message(
            message: text(name), diagnosticID: MessageID(domain: "SwiftData", id: rawValue), severity: severity)
        return Diagnostic(node: node, message: message, fixIts: fixIts)
    }

    private struct Message: DiagnosticMessage {
        let message: String
        let diagnosticID: MessageID
        let severity: DiagnosticSeverity
    }
}

/// The text of a fix-it.
struct FixItText: FixItMessage {
    let message: String
    var fixItID: MessageID { MessageID(domain: "SwiftData", id: message) }
}

extension String {
    fileprivate var article: String { first.map { "aeiou".contains($0) } == true ? "an" : "a" }
}

extension DeclGroupSyntax {
    /// The word that introduces the declaration: `struct`.
    var introducer: TokenSyntax {
        let keywords: [TokenKind] = [.keyword(.class), .keyword(.struct), .keyword(.enum), .keyword(.actor),
            .keyword(.protocol), .keyword(.extension)]
        return tokens(viewMode: .sourceAccurate).first { keywords.contains($0.tokenKind) } ?? .keyword(.class)
    }
}
#endif
