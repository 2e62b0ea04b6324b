public import Foundation

/// The content of a list at one time: section identifiers with the identifiers of their items.
///
/// On Apple's platforms UIKit and AppKit own this class; here it is what a results controller's delegate is given.
/// Its sections are section names, its items object IDs. It is made to be read: editing belongs to the data sources of
/// the user interface, which are not here.
///
/// https://developer.apple.com/documentation/uikit/nsdiffabledatasourcesnapshotreference
open class NSDiffableDataSourceSnapshotReference: NSObject {
    /// The sections, in order.
    public let sectionIdentifiers: [Any]
    /// All items, section by section.
    public let itemIdentifiers: [Any]
    /// Items whose objects changed since the snapshot before.
    public let reloadedItemIdentifiers: [Any]
    /// Where each section's items begin, and one more for the end.
    private let starts: [Int]
    private let sectionPlaces: [AnyHashable: Int]

    package init(sections: [(name: String, items: [NSObject])], reloaded: [NSObject]) {
        sectionIdentifiers = sections.map(\.name)
        itemIdentifiers = sections.flatMap(\.items)
        reloadedItemIdentifiers = reloaded
        var starts = [0]
        for section in sections { starts.append(starts[starts.count - 1] + section.items.count) }
        self.starts = starts
        sectionPlaces = Dictionary(
            sections.enumerated().map { (AnyHashable($1.name), $0) }, uniquingKeysWith: { a, _ in a })
    }

    /// The number of items in all sections.
    public var numberOfItems: Int { itemIdentifiers.count }

    /// The number of sections.
    public var numberOfSections: Int { sectionIdentifiers.count }

    /// The number of items in a section.
    public func numberOfItems(inSection sectionIdentifier: Any) -> Int {
        range(of: sectionIdentifier).count
    }

    /// The items of a section, in order.
    public func itemIdentifiersInSection(withIdentifier sectionIdentifier: Any) -> [Any] {
        Array(itemIdentifiers[range(of: sectionIdentifier)])
    }

    /// The section that holds an item; nil if none does. O(n).
    public func sectionIdentifier(forSectionContainingItemIdentifier itemIdentifier: Any) -> Any? {
        let item = index(ofItemIdentifier: itemIdentifier)
        guard item != NSNotFound, let end = starts.firstIndex(where: { $0 > item }) else { return nil }
        return sectionIdentifiers[end - 1]
    }

    /// The place of an item among all items; `NSNotFound` if there is none. O(n).
    public func index(ofItemIdentifier itemIdentifier: Any) -> Int {
        itemIdentifiers.firstIndex { ($0 as? NSObject)?.isEqual(itemIdentifier) ?? false } ?? NSNotFound
    }

    /// The place of a section; `NSNotFound` if there is none.
    public func index(ofSectionIdentifier sectionIdentifier: Any) -> Int {
        (sectionIdentifier as? String).flatMap { sectionPlaces[$0] } ?? NSNotFound
    }

    private func range(of sectionIdentifier: Any) -> Range<Int> {
        let index = index(ofSectionIdentifier: sectionIdentifier)
        guard index != NSNotFound else {
            fatalError("the snapshot has no section \(sectionIdentifier): see sectionIdentifiers")
        }
        return starts[index]..<starts[index + 1]
    }
}

/// Names that UIKit and AppKit add to index paths, for places in sectioned lists.
/// https://developer.apple.com/documentation/foundation/indexpath/1779119-item
extension IndexPath {
    public init(item: Int, section: Int) { self = [section, item] }

    public init(row: Int, section: Int) { self = [section, row] }

    /// The first of two indexes: the section.
    public var section: Int {
        get { self[0] }
        set { self[0] = newValue }
    }

    /// The second of two indexes: the place within the section.
    public var item: Int {
        get { self[1] }
        set { self[1] = newValue }
    }

    /// The second of two indexes, as tables call it: `item`.
    public var row: Int {
        get { self[1] }
        set { self[1] = newValue }
    }
}

/// Names of `IndexPath`, for index paths that are objects.
extension NSIndexPath {
    public convenience init(item: Int, section: Int) { self.init(indexes: [section, item], length: 2) }

    public convenience init(row: Int, section: Int) { self.init(item: row, section: section) }

    /// The first of two indexes: the section.
    public var section: Int { index(atPosition: 0) }

    /// The second of two indexes: the place within the section.
    public var item: Int { index(atPosition: 1) }

    /// The second of two indexes, as tables call it: `item`.
    public var row: Int { item }
}
