import FirnLog
public import FirnModel
public import Foundation

/// A request for what happened in the stores.
/// https://developer.apple.com/documentation/coredata/nspersistenthistorychangerequest
open class NSPersistentHistoryChangeRequest: NSPersistentStoreRequest {
    enum Start {
        case token(NSPersistentHistoryToken?)
        case date(Date)
    }

    private(set) var start = Start.token(nil)
    open var resultType: NSPersistentHistoryResultType = .transactionsAndChanges

    /// The token after which the request begins, if it was made with one.
    open var token: NSPersistentHistoryToken? {
        if case .token(let token) = start { token } else { nil }
    }

    /// A request for everything.
    public required override init() { super.init() }

    private class func starting(_ start: Start) -> Self {
        let request = Self()
        request.start = start
        return request
    }

    open override var requestType: NSPersistentStoreRequestType { .fetchRequestType }

    /// Everything after this date.
    open class func fetchHistory(after date: Date) -> Self { starting(.date(date)) }

    /// Everything after a token; from the beginning without one.
    open class func fetchHistory(after token: NSPersistentHistoryToken?) -> Self { starting(.token(token)) }

    /// Everything after a transaction; from the beginning without one.
    open class func fetchHistory(after transaction: NSPersistentHistoryTransaction?) -> Self {
        starting(.token(transaction?.token))
    }

    open override func copy(with zone: NSZone? = nil) -> Any {
        let copy = Self.starting(start)
        copy.resultType = resultType
        copy.affectedStores = affectedStores
        return copy
    }
}

/// https://developer.apple.com/documentation/coredata/nspersistenthistoryresulttype
public enum NSPersistentHistoryResultType: Int, Sendable {
    case statusOnly = 0
    case objectIDs = 1
    case count = 2
    case transactionsOnly = 3
    case changesOnly = 4
    case transactionsAndChanges = 5
}

/// What a request that is not a fetch gave.
/// https://developer.apple.com/documentation/coredata/nspersistentstoreresult
open class NSPersistentStoreResult: NSObject {}

/// https://developer.apple.com/documentation/coredata/nspersistenthistoryresult
open class NSPersistentHistoryResult: NSPersistentStoreResult {
    public let result: Any?
    public let resultType: NSPersistentHistoryResultType

    init(_ result: Any?, _ resultType: NSPersistentHistoryResultType) {
        self.result = result
        self.resultType = resultType
    }
}

extension NSManagedObjectContext {
    func run(_ request: NSPersistentStoreRequest) throws -> NSPersistentStoreResult {
        guard let coordinator = persistentStoreCoordinator else {
            throw CoreDataError.make(
                .persistentStoreOperation, "the context has no persistent store coordinator: set one first")
        }
        let batch = BatchOperation(context: self, coordinator: coordinator)
        switch request {
        case let request as NSPersistentHistoryChangeRequest:
            return NSPersistentHistoryResult(try coordinator.history(request), request.resultType)
        case let request as UntypedAsynchronousFetchRequest: return try request.start(in: self)
        case let request as NSBatchInsertRequest: return try batch.insert(request)
        case let request as NSBatchUpdateRequest: return try batch.update(request)
        case let request as NSBatchDeleteRequest: return try batch.delete(request)
        default:
            throw CoreDataError.make(
                .persistentStoreUnsupportedRequestType,
                "stores do not answer a \(type(of: request)) here: a fetch request is for fetch(_:)")
        }
    }
}

extension NSPersistentStoreCoordinator {
    fileprivate func history(_ request: NSPersistentHistoryChangeRequest) throws -> Any? {
        var transactions: [NSPersistentHistoryTransaction] = []
        let includesChanges = request.resultType != .transactionsOnly
        for case let store as LoggedStore in request.affectedStores ?? persistentStores {
            let reader = try store.engine.log.records(after: store.position(of: request.start))
            while let record = try reader.next() {
                guard case .changes = record.body else { continue }
                transactions.append(
                    NSPersistentHistoryTransaction(record, store: store, includesChanges: includesChanges))
            }
        }
        switch request.resultType {
        case .statusOnly: return NSNumber(value: true)
        case .count: return NSNumber(value: transactions.count)
        case .transactionsOnly, .transactionsAndChanges: return transactions
        case .changesOnly: return transactions.flatMap { $0.changes ?? [] }
        case .objectIDs: return transactions.flatMap { ($0.changes ?? []).map(\.changedObjectID) }
        }
    }
}

extension LoggedStore {
    /// The record after which a request's history begins.
    fileprivate func position(of start: NSPersistentHistoryChangeRequest.Start) throws -> SequenceNumber {
        switch start {
        case .token(let token): return token?.positions[identifier] ?? .zero
        case .date(let date):
            return try engine.log.sequence(
                atOrBefore: Int64((date.timeIntervalSince1970 * 1e6).rounded(.down)))
        }
    }
}
