import FirnFoundation
public import FirnModel
import FirnProjection
import FirnRuntime
public import Foundation

/// Receives the result of an asynchronous fetch.
public typealias NSPersistentStoreAsynchronousFetchResultCompletionBlock = (
    NSAsynchronousFetchResult<any NSFetchRequestResult>
) -> Void

/// An asynchronous fetch without the Swift type of its results: what executes requests knows no more.
open class UntypedAsynchronousFetchRequest: NSPersistentStoreRequest, @unchecked Sendable {
    open override var requestType: NSPersistentStoreRequestType { .fetchRequestType }

    func start(in context: NSManagedObjectContext) throws -> NSPersistentStoreAsynchronousResult {
        fatalError("make an NSAsynchronousFetchRequest")
    }
}

extension UntypedAsynchronousFetchRequest: ContextRequest {
    func execute(
        in context: NSManagedObjectContext, _ coordinator: NSPersistentStoreCoordinator
    ) throws -> NSPersistentStoreResult {
        try start(in: context)
    }
}

/// A fetch that reads outside of the context's queue, and hands its result over on that queue.
///
/// `execute` returns at once, with a result whose `progress` counts the rows and can cancel the fetch. The completion
/// block is called once, on the context's queue, when the result has objects or an error.
/// https://developer.apple.com/documentation/coredata/nsasynchronousfetchrequest
open class NSAsynchronousFetchRequest<ResultType>: UntypedAsynchronousFetchRequest, @unchecked Sendable {
    /// The request for the objects.
    open private(set) var fetchRequest: NSFetchRequest<ResultType>
    /// Receives the result, on the context's queue.
    open private(set) var completionBlock: ((NSAsynchronousFetchResult<ResultType>) -> Void)?
    /// How many results are expected, for the progress; 0 if that is not known.
    open var estimatedResultCount = 0

    /// Creates it with these values.
    public init(
        fetchRequest request: NSFetchRequest<ResultType>,
        completionBlock blk: ((NSAsynchronousFetchResult<ResultType>) -> Void)? = nil
    ) {
        fetchRequest = request
        completionBlock = blk
        super.init()
    }

    open override func copy(with zone: NSZone? = nil) -> Any {
        let copy = NSAsynchronousFetchRequest(
            fetchRequest: fetchRequest.withResultType(ResultType.self), completionBlock: completionBlock)
        copy.estimatedResultCount = estimatedResultCount
        copy.affectedStores = affectedStores
        return copy
    }

    override func start(in context: NSManagedObjectContext) throws -> NSPersistentStoreAsynchronousResult {
        context.requireQueue("an asynchronous fetch")
        let asked = fetchRequest.withResultType(ResultType.self)
        if let affectedStores { asked.affectedStores = affectedStores }
        let result = NSAsynchronousFetchResult(self, context)
        try result.start(context.storeRequest(asked))
        return result
    }
}

/// The result of an asynchronous fetch, which comes later.
/// https://developer.apple.com/documentation/coredata/nsasynchronousfetchresult
open class NSAsynchronousFetchResult<ResultType>: NSPersistentStoreAsynchronousResult {
    /// The request that was executed.
    open private(set) var fetchRequest: NSAsynchronousFetchRequest<ResultType>
    /// The fetched results; nil until then, and after an error or a cancellation. Of the context's queue.
    open private(set) var finalResult: [ResultType]?

    init(_ request: NSAsynchronousFetchRequest<ResultType>, _ context: NSManagedObjectContext) {
        fetchRequest = request
        super.init(context, expecting: request.estimatedResultCount)
    }

    fileprivate func start(_ request: StoreRequest) throws {
        let reading = try Transferred(AsynchronousReading(managedObjectContext, request))
        // A store of the application's own makes objects of the context to answer.
        let isShared = managedObjectContext.persistentStoreCoordinator?.hasFollowingStores ?? false
        let read = Transferred(
            Instruments.carrying { [monitor] in
                try StoreOperation.run(.fetch(entity: request.entity.name)) { _ in try reading.value.read(monitor) }
            })
        // Transferred: the thread that reads hands the result on to the context's queue, which finishes it.
        (isShared ? managedObjectContext.queue : .global()).async { [result = Transferred(self)] in
            let answer = Transferred(Result { try read.value() })
            result.value.managedObjectContext.enqueue {
                let result = result.value
                result.finish(Result { try reading.value.finish(answer.value.get(), isCancelled: result.isCancelled) })
            }
        }
    }

    private func finish(_ results: Result<[Any], any Error>) {
        switch results {
        case .success(let found):
            finalResult = managedObjectContext.typed(found)
            complete(count: found.count, error: nil)
        case .failure(let error): complete(count: 0, error: error)
        }
        fetchRequest.completionBlock?(self)
    }
}

/// The two halves of an asynchronous fetch: what runs outside of the context's queue, and what runs on it.
private struct AsynchronousReading {
    private let fetch: ObjectFetch

    init(_ context: NSManagedObjectContext, _ request: StoreRequest) throws {
        fetch = try ObjectFetch(context, request)
    }

    enum Answer {
        case matches([FetchBatch])
        case dictionaries([NSDictionary])
    }

    func read(_ monitor: FetchMonitor) throws -> Answer {
        if monitor.isCancelled { throw FetchCancelled() }
        guard fetch.request.settings.resultType == .dictionaryResultType else {
            return .matches(try fetch.read(monitor))
        }
        return .dictionaries(try fetch.dictionaries(monitor))
    }

    func finish(_ answer: Answer, isCancelled: Bool) throws -> [Any] {
        if isCancelled { throw FetchCancelled() }
        switch answer {
        case .dictionaries(let rows): return rows
        case .matches(let matches):
            guard fetch.request.settings.resultType == .countResultType else {
                return try fetch.context.results(fetch, matches)
            }
            return [NSNumber(value: try fetch.objects(matches).count)]
        }
    }
}
