extension NSManagedObjectModel {
    /// The model as the XML of an `.xcdatamodel`'s `contents`. Reading it gives an equal model.
    ///
    /// Canonical: equal models give the same bytes. Contents for an editor only (tool versions, the diagram) are left
    /// out unless requested. Values in user info that a property list cannot hold have no text, and are left out.
    package func xcdatamodelContents(includingEditorInfo: Bool = false) -> [UInt8] {
        var writer = ModelWriter(model: self, includesEditorInfo: includingEditorInfo)
        return XMLText(writer.element()).bytes
    }
}
