import FirnFoundation
import Foundation

/// Reads property lists in XML. Those of a keyed archive write a reference as a dictionary `CF$UID` with a number.
///
/// Foundation reads such lists too, but returns references as opaque objects.
enum XMLPropertyList {
    /// The list of an element `<plist>`; nil if it is none, or damaged.
    static func read(_ root: ModelFileElement) -> PropertyListValue? {
        guard root.name == "plist", let top = root.children.first else { return nil }
        return value(top)
    }

    private static func value(_ element: ModelFileElement) -> PropertyListValue? {
        let text = element.text.trimmingCharacters(in: .whitespacesAndNewlines)
        switch element.name {
        case "true": return .boolean(true)
        case "false": return .boolean(false)
        case "string": return .string(element.text)
        case "integer": return Int64(text).map { .integer($0) }
        case "real": return Double(text).map { .real($0) }
        case "date": return (try? Date(text, strategy: .iso8601)).map { .date($0) }
        case "data": return Data(base64Encoded: text, options: .ignoreUnknownCharacters).map { .data([UInt8]($0)) }
        case "array":
            let members = element.children.map(value)
            return members.contains { $0 == nil } ? nil : .array(members.compactMap { $0 })
        case "dict": return dictionary(element)
        default: return nil
        }
    }

    private static func dictionary(_ element: ModelFileElement) -> PropertyListValue? {
        guard element.children.count.isMultiple(of: 2) else { return nil }
        var fields: [String: PropertyListValue] = [:]
        for index in stride(from: 0, to: element.children.count, by: 2) {
            let key = element.children[index]
            guard key.name == "key", let value = value(element.children[index + 1]) else { return nil }
            fields[key.text] = value
        }
        if fields.count == 1, case .integer(let index)? = fields["CF$UID"] {
            return Int(exactly: index).map { .reference($0) }
        }
        return .dictionary(fields)
    }
}
