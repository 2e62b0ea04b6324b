#if SwiftData
public import Foundation

/// Who edits: what a context tells data stores of itself.
public struct EditingState: Identifiable, Sendable {
    /// The type of the identifier.
    public typealias ID = UUID

    /// Tells the context from others.
    public let id: UUID
    /// Who saves, as the history says.
    public var author: String?

    init() { id = UUID() }
}
#endif
