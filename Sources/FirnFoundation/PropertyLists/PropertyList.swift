package import Foundation

/// Reads property lists of files that others wrote.
///
/// Foundation on Linux stops the program at some damaged binary lists, because it makes a Swift set of unchecked
/// members. So `BinaryPropertyList` reads binary lists and refuses sets. Foundation reads lists in text form.
package enum PropertyList {
    /// The list in `data`; nil if it is none, or damaged.
    package static func read(_ data: Data) -> Any? {
        // Foundation takes a list of another version for this one.
        guard data.starts(with: BinaryPropertyList.magic.dropLast(2)) else {
            return try? PropertyListSerialization.propertyList(from: data, options: [], format: nil)
        }
        return BinaryPropertyList.read(Array(data))?.plain
    }

    /// The content of a list that is a dictionary.
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
