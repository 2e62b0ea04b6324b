import FirnLog
import FirnStore
import Synchronization
import TestSupport
import Testing

@Suite("The change feed")
struct StoreFeedTests {
    private final class Heard: Sendable {
        let news = Mutex<[String]>([])

        func add(_ name: String, _ news: StoreFeed.News) {
            let text =
                switch news {
                case .growth: "growth"
                case .gap: "gap"
                case .records(let records): "\(records.map(\.sequence.rawValue))"
                case .end: "end"
                }
            self.news.withLock { $0.append("\(name) \(text)") }
        }
    }

    private let files = MemoryFileSystem()
    private let log: SegmentLog
    private let feed: StoreFeed
    private let heard = Heard()

    init() throws {
        log = try SegmentLog.create(directory: "/log", storeID: .random(), fileSystem: files, date: 0)
        feed = StoreFeed(log)
    }

    private var header: TransactionHeader { TransactionHeader(date: 0, id: .random()) }

    private var record: LogRecord { LogRecord(sequence: SequenceNumber(7), header: header, body: .reservation([:])) }

    @Test("subscribers hear in the order in which they came")
    func order() {
        feed.subscribe { [heard] in heard.add("first", $0) }
        let second = feed.subscribe { [heard] in heard.add("second", $0) }
        feed.notify(.gap)
        feed.notify(.records([record]))
        feed.cancel(second)
        feed.notify(.growth)
        #expect(
            heard.news.withLock { $0 } == [
                "first gap", "second gap", "first [7]", "second [7]", "first growth",
            ])
    }

    @Test("the end is told, and to those who come later at once")
    func end() {
        feed.subscribe { [heard] in heard.add("early", $0) }
        feed.end()
        feed.subscribe { [heard] in heard.add("late", $0) }
        #expect(heard.news.withLock { $0 } == ["early end", "late end"])
    }

    @Test("another log on the folder wakes it, and subscribers hear of growth before the refresh")
    func folder() async throws {
        let (refreshes, continuation) = AsyncStream.makeStream(of: [String].self)
        feed.subscribe { [heard] in heard.add("store", $0) }
        feed.watch(.folder, after: log.head) { [heard] in continuation.yield(heard.news.withLock { $0 }) }
        let other = try SegmentLog.open(directory: "/log", forWriting: true, fileSystem: files)
        _ = try other.exclusively { try other.append(record.body, header: header) }
        var iterator = refreshes.makeAsyncIterator()
        #expect(await iterator.next() == ["store growth"])
        feed.end()
    }

    @Test("it hears of each record, one after the other")
    func oneAfterTheOther() throws {
        let refreshes = Atomic(0)
        feed.watch(.folder, after: log.head) { refreshes.add(1, ordering: .releasing) }
        let other = try SegmentLog.open(directory: "/log", forWriting: true, fileSystem: files)
        for count in 1...3 {
            _ = try other.exclusively { try other.append(record.body, header: header) }
            try waitUntil { refreshes.load(ordering: .acquiring) >= count }
        }
        feed.end()
    }

    @Test("growth is kept for a reader that does not wait yet, and ends with the feed")
    func growth() async {
        var growth = feed.growth().makeAsyncIterator()
        feed.notify(.growth)
        feed.notify(.growth)
        #expect(await growth.next() != nil)
        feed.end()
        #expect(await growth.next() == nil)
        var late = feed.growth().makeAsyncIterator()
        #expect(await late.next() == nil)
    }
}
