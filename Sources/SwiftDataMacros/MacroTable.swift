#if SwiftData
import SwiftSyntaxMacros

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
    ]
}
#endif
