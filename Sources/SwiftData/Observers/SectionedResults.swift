#if SwiftData
import Firn
import FirnModel

/// The results of a fetch in sections, in the order in which the sections first appear.
///
/// https://developer.apple.com/documentation/swiftdata/sectionedresults
public struct SectionedResults<Element: PersistentModel, SectionTitle: Hashable>: Equatable, RandomAccessCollection {
    private let sections: [ResultsSection<Element, SectionTitle>]
    private let indicesByTitle: [SectionTitle: Int]

    init(_ sections: [ResultsSection<Element, SectionTitle>]) {
        self.sections = sections
        indicesByTitle = Dictionary(
            sections.enumerated().map { ($1.title, $0) }, uniquingKeysWith: { first, _ in first })
    }

    public var startIndex: Int { 0 }
    public var endIndex: Int { sections.count }
    public subscript(position: Int) -> ResultsSection<Element, SectionTitle> { sections[position] }

    /// The titles of the sections, in their order.
    public var sectionTitles: [SectionTitle] { sections.map(\.title) }

    /// Whether there is a section of a title.
    public func contains(sectionTitle: SectionTitle) -> Bool { indicesByTitle[sectionTitle] != nil }

    /// Where the section of a title is; nil if there is none.
    public func index(ofSectionTitled title: SectionTitle) -> Int? { indicesByTitle[title] }

    /// The section of a title; nil if there is none.
    public subscript(sectionTitle title: SectionTitle) -> ResultsSection<Element, SectionTitle>? {
        indicesByTitle[title].map { sections[$0] }
    }

    public static func == (lhs: Self, rhs: Self) -> Bool { lhs.sections == rhs.sections }
}

/// The results that have one title.
///
/// https://developer.apple.com/documentation/swiftdata/resultssection
public struct ResultsSection<Element: PersistentModel, SectionTitle: Hashable>: Identifiable, Equatable,
    RandomAccessCollection
{
    public let title: SectionTitle
    private let results: ModelList<Element>
    private let positions: SectionPositions

    init(title: SectionTitle, results: ModelList<Element>, positions: SectionPositions) {
        self.title = title
        self.results = results
        self.positions = positions
    }

    public var id: SectionTitle { title }
    public var startIndex: Int { 0 }
    public var endIndex: Int { positions.count }
    public subscript(position: Int) -> Element { results[positions[position]] }

    /// Whether the titles are equal, and the sections have the same models in the same order.
    public static func == (lhs: Self, rhs: Self) -> Bool {
        lhs.title == rhs.title && lhs.count == rhs.count
            && lhs.positions.indices.allSatisfy { index in
                lhs.results.objects[lhs.positions[index]] === rhs.results.objects[rhs.positions[index]]
            }
    }

    /// Where an element of the results is in the section; nil if it is in another.
    func index(ofResult position: Int) -> Int? { positions.index(of: position) }
}

/// The positions of the results in a section: nearly always neighbours.
enum SectionPositions {
    case range(Range<Int>)
    case list([Int])

    var count: Int {
        switch self {
        case .range(let range): range.count
        case .list(let list): list.count
        }
    }

    var indices: Range<Int> { 0..<count }

    subscript(index: Int) -> Int {
        switch self {
        case .range(let range): range[range.index(range.startIndex, offsetBy: index)]
        case .list(let list): list[index]
        }
    }

    func index(of position: Int) -> Int? {
        switch self {
        case .range(let range): range.contains(position) ? position - range.lowerBound : nil
        case .list(let list): list.firstIndex(of: position)
        }
    }

    mutating func append(_ position: Int) {
        switch self {
        case .range(let range) where range.upperBound == position: self = .range(range.lowerBound..<position + 1)
        case .range(let range): self = .list(Array(range) + [position])
        case .list(let list): self = .list(list + [position])
        }
    }
}

/// The models that a fetch found. A model is made when it is asked for.
struct ModelList<Element: PersistentModel> {
    let objects: [ModelObject]
    let context: ModelContext

    subscript(position: Int) -> Element {
        guard let model = context.model(of: objects[position]) as? Element else {
            fatalError("\(objects[position].entity.name ?? "?") is no \(Element.self)")
        }
        return model
    }

    func hasSameObjects(as other: ModelList) -> Bool {
        objects.count == other.objects.count && zip(objects, other.objects).allSatisfy { $0 === $1 }
    }

    var collection: FetchResultsCollection<Element> {
        FetchResultsCollection(count: objects.count) { self[$0] }
    }
}
#endif
