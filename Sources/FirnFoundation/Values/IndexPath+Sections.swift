public import Foundation

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
