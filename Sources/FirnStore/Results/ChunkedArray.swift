/// A list for many elements of which few change at a time: inserting and removing move one chunk's elements, not all.
///
///     chunks   [ a b c … ] [ k l m … ] [ u v … ]     each of 1 to `sizeMax` elements
///
/// With n elements in chunks of c: subscript and change O(n/c + c); the search compares O(log n) elements.
package struct ChunkedArray<Element> {
    private static var sizeMax: Int { 512 }
    private var chunks: [ContiguousArray<Element>] = []
    package private(set) var count = 0

    package init() {}

    package var isEmpty: Bool { count == 0 }
    package var first: Element? { chunks.first?.first }

    package subscript(index: Int) -> Element {
        let (chunk, offset) = place(of: index)
        return chunks[chunk][offset]
    }

    /// The chunk that holds an element, and the element's place in it; for `count`, the end of the last chunk.
    private func place(of index: Int) -> (chunk: Int, offset: Int) {
        guard index >= 0 && index <= count else {
            fatalError("index \(index) of a list of \(count)")
        }
        var rest = index
        for chunk in chunks.indices {
            if rest < chunks[chunk].count { return (chunk, rest) }
            rest -= chunks[chunk].count
        }
        return (chunks.count - 1, chunks.last?.count ?? 0)
    }

    package mutating func append(_ element: Element) {
        if chunks.isEmpty || (chunks.last?.count ?? 0) >= Self.sizeMax / 2 { chunks.append([]) }
        chunks[chunks.count - 1].append(element)
        count += 1
    }

    package mutating func insert(_ element: Element, at index: Int) {
        if chunks.isEmpty { return append(element) }
        let (chunk, offset) = place(of: index)
        chunks[chunk].insert(element, at: offset)
        count += 1
        if chunks[chunk].count > Self.sizeMax {
            let half = chunks[chunk].count / 2
            chunks.insert(ContiguousArray(chunks[chunk][half...]), at: chunk + 1)
            chunks[chunk].removeSubrange(half...)
        }
    }

    package mutating func remove(at index: Int) {
        guard index < count else {
            fatalError("index \(index) of a list of \(count)")
        }
        let (chunk, offset) = place(of: index)
        chunks[chunk].remove(at: offset)
        if chunks[chunk].isEmpty { chunks.remove(at: chunk) }
        count -= 1
    }

    /// How many elements come before the first for which `isBefore` is false; they must be in that order.
    package func partitionPoint(_ isBefore: (Element) -> Bool) -> Int {
        var chunk = Self.partition(chunks.count) { chunks[$0].first.map(isBefore) ?? false }
        guard chunk > 0 else { return 0 }
        chunk -= 1
        let offset = Self.partition(chunks[chunk].count) { isBefore(chunks[chunk][$0]) }
        return chunks[..<chunk].reduce(offset) { $0 + $1.count }
    }

    private static func partition(_ count: Int, _ isBefore: (Int) -> Bool) -> Int {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            if isBefore(middle) { low = middle + 1 } else { high = middle }
        }
        return low
    }

    package func forEach(_ body: (Element) throws -> Void) rethrows {
        for chunk in chunks { try chunk.forEach(body) }
    }
}
