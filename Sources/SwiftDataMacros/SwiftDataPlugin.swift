#if SwiftData
import Foundation
import SwiftCompilerPlugin
import SwiftSyntaxMacros

/// The macros, as the compiler asks for them.
struct SwiftDataPlugin: CompilerPlugin {
    let providingMacros: [any Macro.Type] = MacroTable.all.map(\.type)
}

/// The macros by the names that source files use.
enum MacroTable {
    static let all: [(name: String, type: any Macro.Type)] = [
        ("Model", ModelMacro.self),
        ("ModelActor", ModelActorMacro.self),
        ("Attribute", PropertyMarkerMacro.self),
        ("Relationship", PropertyMarkerMacro.self),
        ("Transient", PropertyMarkerMacro.self),
        ("_PersistedProperty", PersistedPropertyMacro.self),
        ("_TransformablePersistedProperty", TransformablePersistedPropertyMacro.self),
        ("Unique", DeclarationMarkerMacro.self),
        ("Index", DeclarationMarkerMacro.self),
        ("Predicate", PredicateMacro.self),
        ("Expression", QueryExpressionMacro.self),
    ]
}

/// The entry point by which the compiler expands the macros of `SwiftData`.
///
/// With `--expand FILE` it prints the file as the macros leave it, and what they report: the tests read both.
@main
enum EntryPoint {
    static func main() throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 3, arguments[1] == "--expand" else { return try SwiftDataPlugin.main() }
        let expansion = Expansion(of: try String(contentsOfFile: arguments[2], encoding: .utf8))
        FileHandle.standardOutput.write(Data(expansion.text.utf8))
        FileHandle.standardError.write(Data(expansion.report.utf8))
    }
}
#else
/// Without the trait `SwiftData` there is nothing to expand.
@main
enum EntryPoint {
    static func main() {}
}
#endif
