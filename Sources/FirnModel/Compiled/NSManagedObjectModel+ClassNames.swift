extension NSManagedObjectModel {
    /// Puts the module before class names that name none, or the current one by a leading dot: what Xcode's compiler
    /// does, so that `NSStringFromClass` gives the name in the model.
    package func qualifyClassNames(module: String) {
        for entity in entities {
            guard let name = entity.explicitClassName, !name.isEmpty, name != "NSManagedObject" else { continue }
            let bare = name.drop { $0 == "." }
            if !bare.contains(".") { entity.explicitClassName = "\(module).\(bare)" }
        }
    }
}
