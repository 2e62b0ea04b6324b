import FirnFoundation
import Foundation

/// The objects that `NSKeyedArchiver` wrote: dictionaries with a class name, which refer to each other by index. No
/// instances are made, so an archive of classes that Linux lacks can be read.
struct KeyedArchive {
    /// An object of the archive, identified by its index.
    struct Record {
        let index: Int
        let className: String
        fileprivate let fields: [String: PropertyListValue]
    }

    private let objects: [PropertyListValue]
    let root: Record

    /// The archive in a file. Foundation converts one in XML: its own values would hide the references.
    init?(file: Data) {
        if file.starts(with: BinaryPropertyList.magic) {
            self.init([UInt8](file))
            return
        }
        guard let list = PropertyList.read(file),
            let binary = try? PropertyListSerialization.data(fromPropertyList: list, format: .binary, options: 0)
        else { return nil }
        self.init([UInt8](binary))
    }

    /// Nil for bytes that are no keyed archive with an object at its root.
    init?(_ bytes: [UInt8]) {
        guard case .dictionary(let archive)? = BinaryPropertyList.read(bytes),
            case .array(let objects)? = archive["$objects"],
            case .dictionary(let top)? = archive["$top"],
            case .reference(let rootIndex)? = top["root"],
            let root = Self.object(rootIndex, in: objects)
        else { return nil }
        self.objects = objects
        self.root = root
    }

    /// The object in a field; nil where there is none.
    func object(_ field: String, of object: Record) -> Record? {
        guard case .reference(let index)? = object.fields[field] else { return nil }
        return Self.object(index, in: objects)
    }

    func text(_ field: String, of object: Record) -> String? {
        guard case .string(let text)? = value(field, of: object), text != "$null" else {
            return nil
        }
        return text
    }

    func integer(_ field: String, of object: Record) -> Int? {
        guard case .integer(let value)? = value(field, of: object) else { return nil }
        return Int(value)
    }

    func flag(_ field: String, of object: Record) -> Bool {
        switch value(field, of: object) {
        case .boolean(let value)?: value
        case .integer(let value)?: value != 0
        default: false
        }
    }

    /// The members of an array, a set, or an ordered set, that are objects.
    func members(_ field: String, of object: Record) -> [Record] {
        self.object(field, of: object).map(members) ?? []
    }

    /// The members of a collection that are objects.
    func members(of collection: Record) -> [Record] {
        memberValues(collection).compactMap { value in
            guard case .reference(let index) = value else { return nil }
            return Self.object(index, in: objects)
        }
    }

    /// The members of an array or a set as Foundation's values.
    func memberValues(_ field: String, of object: Record) -> [Any] {
        memberValues(self.object(field, of: object)).compactMap { foundationValue($0, depth: 0) }
    }

    /// The entries of a dictionary with text for keys, in the archive's order.
    func entries(_ field: String, of object: Record) -> [(key: String, value: Record)] {
        pairs(self.object(field, of: object)).compactMap { key, value in
            guard case .string(let name)? = resolved(key), case .reference(let index) = value,
                let object = Self.object(index, in: objects)
            else { return nil }
            return (name, object)
        }
    }

    /// A field as a value of Foundation's: text, numbers, dates, data, UUIDs, URLs, arrays and dictionaries of these.
    func value(of field: String, in object: Record) -> Any? {
        object.fields[field].flatMap { foundationValue($0, depth: 0) }
    }

    /// An object as a value of Foundation's.
    func value(of object: Record) -> Any? { foundationObject(object.fields, depth: 0) }

    private func value(_ field: String, of object: Record) -> PropertyListValue? {
        object.fields[field].flatMap(resolved)
    }

    private func resolved(_ value: PropertyListValue) -> PropertyListValue? {
        guard case .reference(let index) = value else { return value }
        return objects.indices.contains(index) ? objects[index] : nil
    }

    private func memberValues(_ collection: Record?) -> [PropertyListValue] {
        guard case .array(let members)? = collection?.fields["NS.objects"] else { return [] }
        return members
    }

    private func pairs(_ dictionary: Record?) -> [(PropertyListValue, PropertyListValue)] {
        if let dictionary, let mapping = object("searchMapping", of: dictionary) {
            // Core Data's dictionary of known keys, as it writes models into stores.
            return Array(zip(memberValues(object("keys", of: mapping)), memberValues(object("values", of: dictionary))))
        }
        guard case .array(let keys)? = dictionary?.fields["NS.keys"],
            case .array(let values)? = dictionary?.fields["NS.objects"]
        else { return [] }
        return Array(zip(keys, values))
    }

    private static func object(_ index: Int, in objects: [PropertyListValue]) -> Record? {
        guard objects.indices.contains(index), case .dictionary(let fields) = objects[index],
            case .reference(let classIndex)? = fields["$class"],
            objects.indices.contains(classIndex),
            case .dictionary(let description) = objects[classIndex],
            case .string(let className)? = description["$classname"]
        else { return nil }
        return Record(index: index, className: className, fields: fields)
    }

    private func foundationValue(_ value: PropertyListValue, depth: Int) -> Any? {
        guard depth < 16, let value = resolved(value) else { return nil }
        switch value {
        case .null, .reference: return nil
        case .boolean(let value): return NSNumber(value: value)
        case .integer(let value): return NSNumber(value: value)
        case .real(let value): return NSNumber(value: value)
        case .date(let value): return value
        case .data(let bytes): return Data(bytes)
        case .string(let text): return text == "$null" ? nil : text
        case .array(let members):
            return members.compactMap { foundationValue($0, depth: depth + 1) }
        case .dictionary(let fields): return foundationObject(fields, depth: depth)
        }
    }

    private func foundationObject(_ fields: [String: PropertyListValue], depth: Int) -> Any? {
        func field(_ name: String) -> Any? {
            fields[name].flatMap { foundationValue($0, depth: depth + 1) }
        }
        if let text = field("NS.string") { return text }
        if let seconds = field("NS.time") as? NSNumber {
            return Date(timeIntervalSinceReferenceDate: seconds.doubleValue)
        }
        if case .data(let bytes)? = fields["NS.uuidbytes"], bytes.count == 16 {
            return NSUUID(uuidBytes: bytes) as UUID
        }
        if let text = field("NS.relative") as? String { return URL(string: text) }
        if let data = field("NS.data") { return data }
        if fields["NS.mantissa"] != nil { return decimal(fields) }
        if case .array(let members)? = fields["NS.objects"] {
            let values = members.map { foundationValue($0, depth: depth + 1) ?? NSNull() }
            guard let keys = field("NS.keys") as? [AnyHashable] else { return values }
            return Dictionary(zip(keys, values)) { _, last in last }
        }
        return nil
    }

    /// A decimal number: a mantissa of sixteen-bit digits, least significant first, and an exponent of ten.
    private func decimal(_ fields: [String: PropertyListValue]) -> Any? {
        guard case .data(let mantissa)? = fields["NS.mantissa"].flatMap(resolved),
            case .integer(let exponent)? = fields["NS.exponent"]
        else { return nil }
        var isBigEndian = false
        if case .integer(2)? = fields["NS.mantissa.bo"] { isBigEndian = true }
        var value = Decimal(0)
        for index in stride(from: mantissa.count - mantissa.count % 2 - 2, through: 0, by: -2) {
            let (first, second) = (Int(mantissa[index]), Int(mantissa[index + 1]))
            value = value * 65536 + Decimal(isBigEndian ? first << 8 | second : second << 8 | first)
        }
        guard (-128...127).contains(exponent) else { return nil }
        var isNegative = false
        if case .boolean(true)? = fields["NS.negative"] { isNegative = true }
        let scaled = Decimal(
            sign: isNegative ? .minus : .plus, exponent: Int(exponent), significand: value)
        return NSDecimalNumber(decimal: scaled)
    }
}
