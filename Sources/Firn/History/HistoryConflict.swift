public import FirnModel
public import Foundation

/// Why a transaction cannot be reverted: a later one changed what it had changed.
public struct HistoryConflict: Hashable, Sendable, CustomStringConvertible {
    /// The reason that stands in the way of a reversal.
    public enum Reason: Hashable, Sendable {
        /// The property has another value than the transaction gave it.
        case changed(property: String)
        /// The object is not there any more.
        case deleted
    }

    /// The object that a later transaction changed.
    public let objectID: NSManagedObjectID
    /// The reason: what the later transaction did.
    public let reason: Reason

    /// A conflict about an object.
    public init(objectID: NSManagedObjectID, reason: Reason) {
        self.objectID = objectID
        self.reason = reason
    }

    public var description: String {
        switch reason {
        case .changed(let property): "\(property) of \(objectID.uriRepresentation()) was changed later"
        case .deleted: "\(objectID.uriRepresentation()) was deleted later"
        }
    }
}

/// Thrown by `NSManagedObjectContext.revert(_:)`, which has changed nothing then.
public struct HistoryConflicts: LocalizedError, Hashable, Sendable, CustomStringConvertible {
    /// Every object and property that stands in the way.
    public let conflicts: [HistoryConflict]

    package init(conflicts: [HistoryConflict]) { self.conflicts = conflicts }

    public var description: String {
        "the transaction cannot be reverted: " + conflicts.map(\.description).joined(separator: "; ")
    }

    public var errorDescription: String? { description }
}
