#if SwiftData
/// A store that has a history.
///
/// https://developer.apple.com/documentation/swiftdata/historyproviding
public protocol HistoryProviding {
    /// The transactions of the store.
    associatedtype HistoryType: HistoryTransaction

    /// The type of the transactions.
    static var historyType: HistoryType.Type { get }

    /// The transactions that a descriptor describes.
    func fetchHistory(_ descriptor: HistoryDescriptor<HistoryType>) throws -> [HistoryType]
    /// Deletes the transactions that a descriptor describes.
    func deleteHistory(_ descriptor: HistoryDescriptor<HistoryType>) throws
}

extension HistoryProviding {
    /// The transactions that a descriptor describes; nil if the store has transactions of another type.
    func transactions<T: HistoryTransaction>(_ descriptor: HistoryDescriptor<T>) throws -> [T]? {
        guard let descriptor = descriptor as? HistoryDescriptor<HistoryType> else { return nil }
        return try fetchHistory(descriptor) as? [T]
    }

    /// Deletes the transactions that a descriptor describes. False if the store has transactions of another type.
    func deleteTransactions<T: HistoryTransaction>(_ descriptor: HistoryDescriptor<T>) throws -> Bool {
        guard let descriptor = descriptor as? HistoryDescriptor<HistoryType> else { return false }
        try deleteHistory(descriptor)
        return true
    }
}
#endif
