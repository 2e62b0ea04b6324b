#if SwiftData
/// The results of a fetch: the elements are made when they are asked for.
///
/// The identifiers are those at the time of the fetch.
public struct FetchResultsCollection<Element>: RandomAccessCollection {
    private let count_: Int
    private let make: (Int) -> Element

    init(count: Int, _ make: @escaping (Int) -> Element) {
        count_ = count
        self.make = make
    }

    public var startIndex: Int { 0 }
    public var endIndex: Int { count_ }
    public subscript(position: Int) -> Element {
        guard indices.contains(position) else {
            fatalError("there is no element \(position): the fetch found \(count_)")
        }
        return make(position)
    }
}
#endif
