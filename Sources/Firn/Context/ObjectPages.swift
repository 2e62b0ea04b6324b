internal import CObjectMaking
import FirnLog

/// Objects by their keys, none of them kept alive.
///
/// Keys are given in sequence, and objects are mostly looked for in the sequence of their keys. So sixteen consecutive
/// keys share a page, and only the page is found by hashing:
///
///     places   (entity 3, 0) → 0     (entity 3, 1) → 2     …
///     pages    │ p1 … p15 │  another entity's  │ p16 … p31 │
///
/// A page without objects is used again. Beside its entry the table holds an object's memory, not the object.
final class ObjectPages {
    private static let pageBits: Int64 = 4
    private static let pageSize = 16

    // Confined to the context's queue, and read for every object that a fetch finds: the runtime's checks would show.
    @exclusivity(unchecked) private var places: [ObjectKey: Int] = [:]
    @exclusivity(unchecked) private var pages = ContiguousArray<UnsafeMutableRawPointer?>()
    /// Of each page, what `places` has it under and how many objects are in it.
    @exclusivity(unchecked) private var headers = ContiguousArray<(key: ObjectKey, count: Int)>()
    @exclusivity(unchecked) private var free = ContiguousArray<Int>()
    @exclusivity(unchecked) private var lastKey = ObjectKey(entity: EntityNumber(0), primaryKey: 0)
    /// The page of `lastKey`; below 0 before the first.
    @exclusivity(unchecked) private var lastPage = -1
    /// Entries, of which some may be of objects that are gone.
    @exclusivity(unchecked) private(set) var count = 0

    deinit {
        for case let entry? in pages { release_memory(entry) }
    }

    /// The object with this key, if it is alive. O(1).
    func object(for key: ObjectKey) -> NSManagedObject? {
        guard let page = page(of: key), let entry = pages[Self.index(key, page)] else { return nil }
        return Self.alive(entry)
    }

    /// Takes an object in, in place of the one that had the key before. O(1).
    func insert(_ object: NSManagedObject, for key: ObjectKey) {
        let page = page(of: key) ?? addPage(for: key)
        let index = Self.index(key, page)
        let entry = Unmanaged.passUnretained(object).toOpaque()
        hold_memory(entry)
        if let old = pages[index] {
            release_memory(old)
        } else {
            headers[page].count += 1
            count += 1
        }
        pages[index] = entry
    }

    func remove(_ key: ObjectKey) {
        guard let page = page(of: key) else { return }
        clear(Self.index(key, page), page)
    }

    /// Drops the entries of objects that are gone. O(entries).
    func sweep() {
        for (place, entry) in pages.enumerated() {
            if let entry, Self.alive(entry) == nil { clear(place, place / Self.pageSize) }
        }
    }

    /// The objects that are alive.
    var objects: [NSManagedObject] { pages.compactMap { $0.flatMap(Self.alive) } }

    private func clear(_ index: Int, _ page: Int) {
        guard let entry = pages[index] else { return }
        release_memory(entry)
        pages[index] = nil
        count -= 1
        headers[page].count -= 1
        if headers[page].count == 0 {
            places[headers[page].key] = nil
            free.append(page)
            lastPage = -1
        }
    }

    @inline(__always)
    private func page(of key: ObjectKey) -> Int? {
        let pageKey = ObjectKey(entity: key.entity, primaryKey: key.primaryKey >> Self.pageBits)
        if lastPage >= 0, pageKey == lastKey { return lastPage }
        guard let page = places[pageKey] else { return nil }
        (lastKey, lastPage) = (pageKey, page)
        return page
    }

    private func addPage(for key: ObjectKey) -> Int {
        let pageKey = ObjectKey(entity: key.entity, primaryKey: key.primaryKey >> Self.pageBits)
        let page: Int
        if let known = free.popLast() {
            page = known
            headers[page] = (pageKey, 0)
        } else {
            page = headers.count
            headers.append((pageKey, 0))
            pages.append(contentsOf: repeatElement(nil, count: Self.pageSize))
        }
        places[pageKey] = page
        (lastKey, lastPage) = (pageKey, page)
        return page
    }

    @inline(__always)
    private static func index(_ key: ObjectKey, _ page: Int) -> Int {
        page * pageSize + Int(truncatingIfNeeded: key.primaryKey) & (pageSize - 1)
    }

    @inline(__always)
    private static func alive(_ entry: UnsafeMutableRawPointer) -> NSManagedObject? {
        guard let alive = retain_if_alive(entry) else { return nil }
        return Unmanaged<NSManagedObject>.fromOpaque(alive).takeRetainedValue()
    }
}
