package import FirnLog
package import FirnRuntime

/// A table by object keys, for keys that are given in sequence and mostly looked for in sequence.
///
/// Sixteen consecutive keys share a page, and only the page is found by hashing:
///
///     places   (entity 3, 0) → 0     (entity 3, 1) → 2     …
///     entries  │ p1 … p15 │  another entity's  │ p16 … p31 │
///
/// A page without entries is used again.
package struct KeyPages<Element> {
    private static var pageBits: Int64 { 4 }
    private static var pageSize: Int { 16 }

    private var places: [ObjectKey: Int] = [:]
    private var pages = ContiguousArray<Element?>()
    /// Of each page, what `places` has it under and how many entries are in it.
    private var headers = ContiguousArray<(key: ObjectKey, count: Int)>()
    private var free = ContiguousArray<Int>()
    private var lastKey = ObjectKey(entity: EntityNumber(0), primaryKey: 0)
    /// The page of `lastKey`; below 0 before the first.
    private var lastPage = -1
    package private(set) var count = 0

    package init() {}

    /// Bytes in memory. O(1).
    var allocatedSize: Int {
        let place = MemoryLayout<ObjectKey>.stride + MemoryLayout<Int>.stride + 1
        // Hash tables fill up to three quarters.
        return places.capacity * place * 4 / 3 + pages.capacity * MemoryLayout<Element?>.stride
            + headers.capacity * MemoryLayout<(key: ObjectKey, count: Int)>.stride
            + free.capacity * MemoryLayout<Int>.stride
    }

    /// The entry of this key. O(1).
    @inline(__always)
    package mutating func entry(for key: ObjectKey) -> Element? {
        guard let page = page(of: key) else { return nil }
        return pages[Self.index(key, page)]
    }

    /// Gives the key an entry, and returns the one that it had. O(1).
    @inline(__always)
    package mutating func update(_ entry: Element, for key: ObjectKey) -> Element? {
        let page = page(of: key) ?? addPage(for: key)
        let index = Self.index(key, page)
        let old = pages[index]
        if old == nil {
            headers[page].count += 1
            count += 1
        }
        pages[index] = entry
        return old
    }

    /// Takes the key's entry out. O(1).
    package mutating func remove(_ key: ObjectKey) -> Element? {
        guard let page = page(of: key) else { return nil }
        return clear(Self.index(key, page))
    }

    /// Takes out the entries for which `isGone` says so. O(entries).
    package mutating func removeAll(where isGone: (Element) -> Bool) {
        for index in pages.indices {
            if let entry = pages[index], isGone(entry) { _ = clear(index) }
        }
    }

    /// In no order.
    package var entries: [Element] {
        var entries: [Element] = []
        entries.reserveCapacity(count)
        for case let entry? in pages { entries.append(entry) }
        return entries
    }

    private mutating func clear(_ index: Int) -> Element? {
        guard let entry = pages[index] else { return nil }
        let page = index / Self.pageSize
        pages[index] = nil
        count -= 1
        headers[page].count -= 1
        if headers[page].count == 0 {
            places[headers[page].key] = nil
            free.append(page)
            lastPage = -1
        }
        return entry
    }

    @inline(__always)
    private mutating func page(of key: ObjectKey) -> Int? {
        let pageKey = ObjectKey(entity: key.entity, primaryKey: key.primaryKey >> Self.pageBits)
        if lastPage >= 0, pageKey == lastKey { return lastPage }
        guard let page = places[pageKey] else { return nil }
        (lastKey, lastPage) = (pageKey, page)
        return page
    }

    private mutating func addPage(for key: ObjectKey) -> Int {
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
}

/// `KeyPages` of addresses, for the module above. A generic type is not specialized for another module's entries: each
/// use would take 1,500 instructions more, for the metadata of its types. Not inlined: the other module would call the
/// generic code again. Not copyable: to read one of a class, the other module would copy it first.
package struct PointerPages: ~Copyable {
    package typealias Entry = ObjectAddress

    private var pages = KeyPages<Entry>()

    package init() {}

    package var count: Int { pages.count }

    /// In no order.
    package var entries: [Entry] {
        @inline(never) get { pages.entries }
    }

    /// The entry of this key. O(1).
    @inline(never)
    package mutating func entry(for key: ObjectKey) -> Entry? { pages.entry(for: key) }

    /// Gives the key an entry, and returns the one that it had. O(1).
    @inline(never)
    package mutating func update(_ entry: Entry, for key: ObjectKey) -> Entry? { pages.update(entry, for: key) }

    /// Removes the key's entry, and returns it. O(1).
    @inline(never)
    package mutating func remove(_ key: ObjectKey) -> Entry? { pages.remove(key) }

    /// Removes the entries for which `isGone` says so. O(entries).
    @inline(never)
    package mutating func removeAll(where isGone: (Entry) -> Bool) { pages.removeAll(where: isGone) }
}
