public import FirnModel

/// The content of a results controller at one time, to be handed to any thread.
public struct ResultsSnapshot: Hashable, Sendable {
    /// Results that have a section's name in common.
    public struct Section: Hashable, Sendable {
        /// The section's name.
        public let name: String
        /// The section's results, in order.
        public let objectIDs: [NSManagedObjectID]

        package init(name: String, objectIDs: [NSManagedObjectID]) {
            self.name = name
            self.objectIDs = objectIDs
        }
    }

    /// At least one if the controller has no section name key path.
    public let sections: [Section]

    package init(sections: [Section]) { self.sections = sections }

    /// All results, section by section.
    public var objectIDs: [NSManagedObjectID] { sections.flatMap(\.objectIDs) }
}
