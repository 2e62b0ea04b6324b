#if SwiftData
public import Foundation

/// The editing state of a context that is passed to data stores.
public struct EditingState: Identifiable, Sendable {
    /// The type of the identifier.
    public typealias ID = UUID

    /// Tells the context from others.
    public let id: UUID
    /// The author, as the history says.
    public var author: String?

    init() { id = UUID() }
}
#endif
