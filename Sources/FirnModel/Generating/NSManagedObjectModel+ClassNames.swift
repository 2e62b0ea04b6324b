extension NSManagedObjectModel {
    /// Adds the module to class names that have none, or have a leading dot for the current module. Xcode's compiler
    /// does the same, so that `NSStringFromClass` gives the name in the model.
    package func qualifyClassNames(module: String) {
        for entity in entities {
            guard let name = entity.explicitClassName, !name.isEmpty, name != "NSManagedObject" else { continue }
            let bare = name.drop { $0 == "." }
            if !bare.contains(".") { entity.explicitClassName = "\(module).\(bare)" }
        }
    }
}
