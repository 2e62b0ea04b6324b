import FirnLog
import FirnProjection
import FirnStore
import Synchronization
import Testing

@Suite("The cache of rows")
struct RowCacheTests {
    private static let entity = EntityNumber(1)
    private static let key = ObjectKey(entity: entity, primaryKey: 1)

    private static func rows(_ keys: ClosedRange<Int64> = 1...1, version: Int64) -> RowBatch {
        RowBatch(entity: entity, primaryKeys: Array(keys), versions: keys.map { _ in version }, columns: [])
    }

    @Test("has what was written, and not what was read before")
    func written() {
        let cache = RowCache()
        let epoch = cache.epoch
        cache.insert(written: Self.rows(version: 2))
        cache.insert(read: Self.rows(version: 1), epoch: epoch)
        #expect(cache.snapshot(Self.key)?.version == 2)
    }

    @Test("does not take a row that was read before it was evicted")
    func evicted() {
        let cache = RowCache()
        let epoch = cache.epoch
        cache.remove([1], entity: Self.entity)
        cache.insert(read: Self.rows(version: 1), epoch: epoch)
        #expect(cache.snapshot(Self.key)?.version == nil)
    }

    @Test("does not take rows that are written while they are read")
    func writtenMeanwhile() {
        let cache = RowCache()
        cache.load {
            cache.insert(written: Self.rows(version: 2))
            return [Self.rows(version: 1)]
        }
        #expect(cache.snapshot(Self.key)?.version == 2)
    }

    @Test("knows when a row was read, however often it was asked for since")
    func age() {
        for others in 0... {
            let now = Mutex(0.0)
            let cache = RowCache(sizeMax: 40_000) { now.withLock { $0 } }
            cache.insert(read: Self.rows(version: 1), epoch: cache.epoch)
            for number in 0..<Int64(others) {
                cache.insert(read: Self.rows(100 * number + 100...100 * number + 150, version: 1), epoch: cache.epoch)
            }
            now.withLock { $0 = 10 }
            // So many others that it was released: before that it was one of the old generation.
            guard cache.snapshot(Self.key) != nil else { return #expect(others > 2) }
            #expect(cache.snapshot(Self.key, maximumAge: 5)?.version == nil, "\(others) others")
            #expect(cache.snapshot(Self.key, maximumAge: 15)?.version == 1, "\(others) others")
        }
    }
}
