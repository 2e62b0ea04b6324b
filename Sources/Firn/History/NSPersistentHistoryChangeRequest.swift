import FirnLog
public import FirnModel
public import Foundation

/// A request for what happened in the stores.
/// https://developer.apple.com/documentation/coredata/nspersistenthistorychangerequest
open class NSPersistentHistoryChangeRequest: NSPersistentStoreRequest, @unchecked Sendable {
    /// The task of a request.
    enum Task {
        /// Fetches the transactions after a token, or date.
        case fetch(after: HistoryBound)
        /// Fetches what a request on transactions or changes matches.
        case fetchMatching
        /// To cut off what came before a token, or date.
        case delete(before: HistoryBound)
    }

    private(set) var task = Task.fetch(after: .token(nil))
    /// The kind of result.
    open var resultType: NSPersistentHistoryResultType = .transactionsAndChanges

    /// A fetch of transactions or of changes, which are all fetched if the request was made without one.
    /// Its entity is that of `NSPersistentHistoryTransaction` or of `NSPersistentHistoryChange`; predicate, sort
    /// descriptors, limit and offset count.
    ///
    /// It limits a deletion too. A log is cut off at its beginning only, so that the deletion ends before the first
    /// transaction that the fetch does not match, or of which it does not match every change.
    open var fetchRequest: NSFetchRequest<any NSFetchRequestResult>?

    /// The token after which the request begins, or before which it deletes, if it was made with one.
    open var token: NSPersistentHistoryToken? {
        switch task {
        case .fetch(.token(let token)), .delete(.token(let token)): token
        default: nil
        }
    }

    /// A request for everything.
    public required override init() { super.init() }

    private class func make(_ task: Task) -> Self {
        let request = Self()
        request.task = task
        return request
    }

    open override var requestType: NSPersistentStoreRequestType { .fetchRequestType }

    /// Everything after this date.
    open class func fetchHistory(after date: Date) -> Self { make(.fetch(after: .date(date))) }

    /// Everything after a token; from the beginning without one. A token from before what was deleted is an error
    /// (134301).
    open class func fetchHistory(after token: NSPersistentHistoryToken?) -> Self { make(.fetch(after: .token(token))) }

    /// Everything after a transaction; from the beginning without one.
    open class func fetchHistory(after transaction: NSPersistentHistoryTransaction?) -> Self {
        make(.fetch(after: .token(transaction?.token)))
    }

    /// The transactions or changes that a fetch request matches.
    open class func fetchHistory(withFetch fetchRequest: NSFetchRequest<any NSFetchRequestResult>) -> Self {
        let request = make(.fetchMatching)
        request.fetchRequest = fetchRequest
        return request
    }

    /// Deletes the transactions from before this date. With the result type `count` the result is how many. The log
    /// keeps the state that they made as a baseline. What a subscription has not seen yet stays.
    open class func deleteHistory(before date: Date) -> Self { deletion(before: .date(date)) }

    /// Deletes the transactions from before the last one that a token knows of; none without a token.
    open class func deleteHistory(before token: NSPersistentHistoryToken?) -> Self { deletion(before: .token(token)) }

    /// Deletes the transactions from before this one; none without one.
    open class func deleteHistory(before transaction: NSPersistentHistoryTransaction?) -> Self {
        deletion(before: .token(transaction?.token))
    }

    private class func deletion(before bound: HistoryBound) -> Self {
        let request = make(.delete(before: bound))
        request.resultType = .statusOnly
        return request
    }

    open override func copy(with zone: NSZone? = nil) -> Any {
        let copy = Self.make(task)
        copy.resultType = resultType
        copy.affectedStoreObjects = affectedStoreObjects
        copy.fetchRequest = fetchRequest
        return copy
    }
}

/// https://developer.apple.com/documentation/coredata/nspersistenthistoryresulttype
public enum NSPersistentHistoryResultType: Int, Sendable {
    /// Whether it succeeded.
    case statusOnly = 0
    /// IDs of changed objects.
    case objectIDs = 1
    /// How many there are.
    case count = 2
    /// Transactions without their changes.
    case transactionsOnly = 3
    /// Changes.
    case changesOnly = 4
    /// Transactions with their changes.
    case transactionsAndChanges = 5
}

/// https://developer.apple.com/documentation/coredata/nspersistenthistoryresult
open class NSPersistentHistoryResult: NSPersistentStoreResult {
    /// Transactions, changes, object IDs, a number or a Boolean, by the result type.
    open private(set) var result: Any?
    /// The kind of result.
    open private(set) var resultType: NSPersistentHistoryResultType

    package init(_ result: Any?, _ resultType: NSPersistentHistoryResultType) {
        self.result = result
        self.resultType = resultType
    }
}
