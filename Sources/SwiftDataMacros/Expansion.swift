#if SwiftData
import SwiftDiagnostics
import SwiftParser
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacroExpansion
import SwiftSyntaxMacros

/// A source text as the macros leave it, without a compiler.
struct Expansion {
    let text: String
    /// A line for each diagnostic, `line:column: severity: message`, and an indented one for each fix-it.
    let report: String

    init(of source: String) {
        let file = Parser.parse(source: source)
        let context = BasicMacroExpansionContext(
            sourceFiles: [file: .init(moduleName: "Test", fullFilePath: "Test.swift")])
        let specs = Dictionary(
            uniqueKeysWithValues: MacroTable.all.map { entry in
                let conformances: [TypeSyntax] = switch entry.name {
                case "Model": ["SwiftData.PersistentModel", "Observation.Observable", "Sendable"]
                case "ModelActor": ["SwiftData.ModelActor"]
                default: []
                }
                return (entry.name, MacroSpec(type: entry.type, conformances: conformances))
            })
        let expanded = file.expand(
            macroSpecs: specs,
            contextGenerator: { BasicMacroExpansionContext(sharingWith: context, lexicalContext: $0.lexicalParents) },
            indentationWidth: .spaces(4))
        text = "\(expanded)"
        report = context.diagnostics.map { diagnostic in
            let place = diagnostic.location(converter: SourceLocationConverter(fileName: "Test.swift", tree: file))
            let line = "\(place.line):\(place.column): \(diagnostic.diagMessage.severity): \(diagnostic.message)\n"
            return diagnostic.fixIts.reduce(line) { $0 + "    fix-it: \($1.message.message)\n" }
        }.joined()
    }
}

extension Syntax {
    /// The declarations that a node is in, innermost first.
    fileprivate var lexicalParents: [Syntax] {
        sequence(first: parent, next: { $0?.parent }).compactMap { $0 }.filter { $0.isProtocol(DeclGroupSyntax.self) }
    }
}
#endif
