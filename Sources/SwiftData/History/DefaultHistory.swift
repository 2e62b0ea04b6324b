#if SwiftData
import Firn
public import Foundation

/// Where a reader of the history stands: for each store, the number of the last transaction that it has seen.
public struct DefaultHistoryToken: HistoryToken {
    public typealias TokenType = [String: Int64]
    public typealias ID = Int

    public let tokenValue: TokenType?
    /// By store, the beginning of the link of that transaction's record, by which a token of another history of the
    /// store is noticed: one from before a backup was put back. Tokens of earlier versions have none.
    let links: [String: Int64]?

    init(_ token: NSPersistentHistoryToken) { (tokenValue, links) = (token.transactionNumbers, token.links) }

    /// The token as Core Data's history has it.
    var managed: NSPersistentHistoryToken {
        NSPersistentHistoryToken(transactionNumbers: tokenValue ?? [:], links: links ?? [:])
    }

    public var id: Int { hashValue }

    /// Whether the reader of `rhs` has seen more: further in one store, and not less far in another that both tell of.
    public static func < (lhs: DefaultHistoryToken, rhs: DefaultHistoryToken) -> Bool {
        let (left, right) = (lhs.tokenValue ?? [:], rhs.tokenValue ?? [:])
        if left.isEmpty { return !right.isEmpty }
        let pairs = left.compactMap { store, number in right[store].map { (number, $0) } }
        return pairs.contains { $0 < $1 } && pairs.allSatisfy { $0 <= $1 }
    }
}

/// The changes of one save of a store of this module.
public struct DefaultHistoryTransaction: HistoryTransaction {
    public typealias TransactionIdentifier = Int64
    public typealias TokenType = DefaultHistoryToken
    public typealias ID = Int64

    public let timestamp: Date
    public let changes: [HistoryChange]
    public let token: TokenType
    public let transactionIdentifier: TransactionIdentifier
    public let storeIdentifier: String
    /// The program that saved; empty if it has no identifier.
    public let bundleIdentifier: String
    /// The process that saved.
    public let processIdentifier: String
    public let author: String?

    public var id: Int64 { transactionIdentifier }

    public static func == (lhs: Self, rhs: Self) -> Bool { lhs.token == rhs.token }
    public func hash(into hasher: inout Hasher) { hasher.combine(token) }
}

/// The insertion of a model.
public struct DefaultHistoryInsert<Model: PersistentModel>: HistoryInsert {
    public typealias TransactionIdentifier = Int64
    public typealias ChangeIdentifier = Int64

    public let changeIdentifier: ChangeIdentifier
    public let transactionIdentifier: TransactionIdentifier
    public let changedPersistentIdentifier: PersistentIdentifier
    var source: RecordedChange?
}

/// The change of a model's properties.
public struct DefaultHistoryUpdate<Model: PersistentModel>: HistoryUpdate {
    public typealias TransactionIdentifier = Int64
    public typealias ChangeIdentifier = Int64
    public typealias PropertyUpdate = PartialKeyPath<Model> & Sendable

    public let changeIdentifier: ChangeIdentifier
    public let transactionIdentifier: TransactionIdentifier
    public let changedPersistentIdentifier: PersistentIdentifier
    public let updatedAttributes: [any PartialKeyPath<Model> & Sendable]
    var source: RecordedChange?
}

/// The deletion of a model.
public struct DefaultHistoryDelete<Model: PersistentModel>: HistoryDelete {
    public typealias TransactionIdentifier = Int64
    public typealias ChangeIdentifier = Int64

    public let changeIdentifier: ChangeIdentifier
    public let transactionIdentifier: TransactionIdentifier
    public let changedPersistentIdentifier: PersistentIdentifier
    public let tombstone: HistoryTombstone<Model>
    var source: RecordedChange?
}
#endif
