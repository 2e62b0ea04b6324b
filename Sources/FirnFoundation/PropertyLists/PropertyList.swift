package import Foundation

/// Reads property lists of files that others wrote.
///
/// Foundation on Linux ends the program over some damaged binary lists: it makes a Swift set of the members before it
/// has looked at them. Those are read by `BinaryPropertyList`, which refuses sets; texts go to Foundation.
package enum PropertyList {
    /// The list in `data`; nil if it is none, or damaged.
    package static func read(_ data: Data) -> Any? {
        guard data.starts(with: BinaryPropertyList.magic) else {
            return try? PropertyListSerialization.propertyList(from: data, options: [], format: nil)
        }
        return BinaryPropertyList.read(Array(data))?.plain
    }

    /// The same of a list that is a dictionary.
    package static func dictionary(_ data: Data) -> [String: Any]? { read(data) as? [String: Any] }
}

/// A reference to an object of a keyed archive.
struct ArchiveReference {
    let value: Int
}

extension PropertyListValue {
    /// The value as Foundation hands it out.
    fileprivate var plain: Any {
        switch self {
        case .null: NSNull()
        case .boolean(let value): NSNumber(value: value)
        case .integer(let value): NSNumber(value: value)
        case .real(let value): NSNumber(value: value)
        case .date(let value): value
        case .data(let value): Data(value)
        case .string(let value): value
        case .reference(let value): ArchiveReference(value: value)
        case .array(let values): values.map(\.plain)
        case .dictionary(let values): values.mapValues(\.plain)
        }
    }
}
