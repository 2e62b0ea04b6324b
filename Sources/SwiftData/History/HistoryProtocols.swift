#if SwiftData
import Firn
public import Foundation

/// Where a reader of history stands.
public protocol HistoryToken: Comparable, Codable, Hashable, Identifiable, Sendable {
    /// The form of the token's value.
    associatedtype TokenType: Codable, Hashable, Sendable
    /// The token's value.
    var tokenValue: TokenType? { get }
}

/// The changes of one save.
public protocol HistoryTransaction: Hashable, Identifiable, Sendable {
    /// The type of the token.
    associatedtype TokenType: Comparable, Hashable, Identifiable, Sendable
    /// The type of the transaction's identifier.
    associatedtype TransactionIdentifier: Comparable, Hashable, Sendable
    /// When it was saved.
    var timestamp: Date { get }
    /// The changes in their order.
    var changes: [HistoryChange] { get }
    /// Where a reader stands that has seen the transaction.
    var token: TokenType { get }
    /// Tells the transaction from others of its store.
    var transactionIdentifier: TransactionIdentifier { get }
    /// The store.
    var storeIdentifier: String { get }
    /// The author of the save.
    var author: String? { get }
}

/// A change of a model.
public enum HistoryChange: Sendable {
    /// It was inserted.
    case insert(any HistoryInsert)
    /// It was changed.
    case update(any HistoryUpdate)
    /// It was deleted.
    case delete(any HistoryDelete)

    /// The model's identifier.
    public var changedPersistentIdentifier: PersistentIdentifier {
        switch self {
        case .insert(let change): change.changedPersistentIdentifier
        case .update(let change): change.changedPersistentIdentifier
        case .delete(let change): change.changedPersistentIdentifier
        }
    }
}

/// The insertion of a model.
public protocol HistoryInsert<Model>: Sendable {
    /// The model's class.
    associatedtype Model: PersistentModel
    /// The type of the transaction's identifier.
    associatedtype TransactionIdentifier: Comparable, Hashable, Sendable
    /// The type of the change's identifier.
    associatedtype ChangeIdentifier: Comparable, Hashable, Sendable
    /// Tells the change from others of its transaction.
    var changeIdentifier: ChangeIdentifier { get }
    /// The transaction.
    var transactionIdentifier: TransactionIdentifier { get }
    /// The model's identifier.
    var changedPersistentIdentifier: PersistentIdentifier { get }
}

/// The change of a model's properties.
public protocol HistoryUpdate<Model>: Sendable {
    /// The model's class.
    associatedtype Model: PersistentModel
    /// The type of the transaction's identifier.
    associatedtype TransactionIdentifier: Comparable, Hashable, Sendable
    /// The type of the change's identifier.
    associatedtype ChangeIdentifier: Comparable, Hashable, Sendable
    /// A property that was changed.
    typealias PropertyUpdate = PartialKeyPath<Model> & Sendable
    /// Tells the change from others of its transaction.
    var changeIdentifier: ChangeIdentifier { get }
    /// The transaction.
    var transactionIdentifier: TransactionIdentifier { get }
    /// The model's identifier.
    var changedPersistentIdentifier: PersistentIdentifier { get }
    /// The properties that were changed.
    var updatedAttributes: [any PartialKeyPath<Model> & Sendable] { get }
}

/// The deletion of a model.
public protocol HistoryDelete<Model>: Sendable {
    /// The model's class.
    associatedtype Model: PersistentModel
    /// The type of the transaction's identifier.
    associatedtype TransactionIdentifier: Comparable, Hashable, Sendable
    /// The type of the change's identifier.
    associatedtype ChangeIdentifier: Comparable, Hashable, Sendable
    /// Tells the change from others of its transaction.
    var changeIdentifier: ChangeIdentifier { get }
    /// The transaction.
    var transactionIdentifier: TransactionIdentifier { get }
    /// The model's identifier.
    var changedPersistentIdentifier: PersistentIdentifier { get }
    /// The values that attributes with `.preserveValueOnDeletion` had.
    var tombstone: HistoryTombstone<Model> { get }
}

/// The values that a deleted model's attributes with `.preserveValueOnDeletion` had.
public struct HistoryTombstone<Model: PersistentModel>: Sequence, Sendable {
    public typealias Element = Any

    let values: [String: any Sendable]

    /// The value that a property had; nil for one that is not preserved.
    public subscript(keyPath: PartialKeyPath<Model>) -> (any Sendable)? {
        ModelShape.of(Model.self).property(for: keyPath).flatMap { values[$0.name] }
    }

    /// The values in the order of the properties' names.
    public func makeIterator() -> Iterator { Iterator(rest: values.sorted { $0.key > $1.key }.map(\.value)) }

    /// The values, one after the other.
    public struct Iterator: IteratorProtocol {
        public typealias Element = Any

        var rest: [any Sendable]

        public mutating func next() -> Any? { rest.popLast() }
    }
}

/// The selection of a history's transactions.
public struct HistoryDescriptor<TransactionType: HistoryTransaction> {
    /// The predicate that the transactions have to meet; nil for all.
    public var predicate: Predicate<TransactionType>?
    /// How many there are at most; 0 sets no limit.
    public var fetchLimit: UInt64 = 0
    /// The order; without one, that in which they were saved.
    public var sortBy: [SortDescriptor<TransactionType>]

    /// The transactions that meet a predicate.
    public init(predicate: Predicate<TransactionType>? = nil) {
        self.predicate = predicate
        sortBy = []
    }

    /// The transactions that meet a predicate, in an order.
    public init(predicate: Predicate<TransactionType>? = nil, sortBy: [SortDescriptor<TransactionType>] = []) {
        self.predicate = predicate
        self.sortBy = sortBy
    }
}

/// The change of Core Data's history that a change is made of.
struct RecordedChange: Sendable {
    let change: NSPersistentHistoryChange

    init(_ change: NSPersistentHistoryChange) { self.change = change }
}
#endif
