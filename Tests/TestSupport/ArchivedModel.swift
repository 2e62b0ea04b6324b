import Foundation

/// A keyed archive as Apple's `NSKeyedArchiver` writes it, object by object, for classes that this system lacks.
package final class ArchiveBuilder {
    /// A value of a property list, with references between the archive's objects.
    package indirect enum Node {
        case boolean(Bool)
        case integer(Int64)
        case text(String)
        case data([UInt8])
        case reference(Int)
        case array([Node])
        case dictionary([(String, Node)])
    }

    private var objects: [Node] = [.text("$null")]
    private var classes: [String: Int] = [:]

    package init() {}

    package func add(_ node: Node) -> Node {
        objects.append(node)
        return .reference(objects.count - 1)
    }

    package func text(_ text: String) -> Node { add(.text(text)) }

    /// An object of a class.
    package func object(_ className: String, _ fields: [(String, Node)] = []) -> Node {
        add(.dictionary(fields + [("$class", classReference(className))]))
    }

    package func dictionary(_ entries: [(String, Node)]) -> Node {
        object("NSDictionary", [
            ("NS.keys", .array(entries.map { text($0.0) })), ("NS.objects", .array(entries.map(\.1))),
        ])
    }

    package func array(_ members: [Node]) -> Node { object("NSArray", [("NS.objects", .array(members))]) }

    private func classReference(_ name: String) -> Node {
        if let known = classes[name] { return .reference(known) }
        let names: [Node] = [.text(name), .text("NSObject")]
        guard case .reference(let index) = add(.dictionary([("$classname", .text(name)), ("$classes", .array(names))]))
        else { fatalError("an object is added under a reference") }
        classes[name] = index
        return .reference(index)
    }

    private func archive(_ root: Node) -> Node {
        .dictionary([
            ("$version", .integer(100_000)), ("$archiver", .text("NSKeyedArchiver")),
            ("$top", .dictionary([("root", root)])), ("$objects", .array(objects)),
        ])
    }

    /// The archive as a binary property list.
    package func binary(_ root: Node) -> [UInt8] {
        var writer = BinaryListWriter()
        return writer.bytes(archive(root))
    }

    /// The archive as a property list in XML.
    package func xml(_ root: Node) -> [UInt8] {
        let head = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<plist version=\"1.0\">"
        return Array((head + Self.xml(archive(root)) + "</plist>").utf8)
    }

    private static func xml(_ node: Node) -> String {
        switch node {
        case .boolean(let value): value ? "<true/>" : "<false/>"
        case .integer(let value): "<integer>\(value)</integer>"
        case .text(let text): "<string>\(text)</string>"
        case .data(let bytes): "<data>\(Data(bytes).base64EncodedString())</data>"
        case .reference(let index): "<dict><key>CF$UID</key><integer>\(index)</integer></dict>"
        case .array(let members): "<array>\(members.map(xml).joined())</array>"
        case .dictionary(let entries):
            "<dict>\(entries.map { "<key>\($0.0)</key>" + xml($0.1) }.joined())</dict>"
        }
    }
}

/// Writes `bplist00` with offsets and references of four bytes.
private struct BinaryListWriter {
    private var objects: [[UInt8]] = []

    mutating func bytes(_ root: ArchiveBuilder.Node) -> [UInt8] {
        let top = add(root)
        var bytes = Array("bplist00".utf8)
        var offsets: [Int] = []
        for object in objects {
            offsets.append(bytes.count)
            bytes += object
        }
        let table = bytes.count
        for offset in offsets { bytes += Self.number(offset, 4) }
        bytes += [UInt8](repeating: 0, count: 6) + [4, 4]
        return bytes + Self.number(objects.count, 8) + Self.number(top, 8) + Self.number(table, 8)
    }

    private mutating func add(_ node: ArchiveBuilder.Node) -> Int {
        let index = objects.count
        objects.append([])
        objects[index] = encoded(node)
        return index
    }

    private mutating func encoded(_ node: ArchiveBuilder.Node) -> [UInt8] {
        switch node {
        case .boolean(let value): return [value ? 9 : 8]
        case .integer(let value): return [0x13] + Self.number(Int(value), 8)
        case .text(let text): return Self.head(0x50, text.utf8.count) + Array(text.utf8)
        case .data(let bytes): return Self.head(0x40, bytes.count) + bytes
        case .reference(let index): return [0x83] + Self.number(index, 4)
        case .array(let members):
            let indexes = members.map { add($0) }
            return Self.head(0xA0, indexes.count) + indexes.flatMap { Self.number($0, 4) }
        case .dictionary(let entries):
            let keys = entries.map { add(.text($0.0)) }
            let values = entries.map { add($0.1) }
            return Self.head(0xD0, keys.count) + (keys + values).flatMap { Self.number($0, 4) }
        }
    }

    private static func head(_ kind: UInt8, _ count: Int) -> [UInt8] {
        count < 15 ? [kind | UInt8(count)] : [kind | 15, 0x12] + number(count, 4)
    }

    private static func number(_ value: Int, _ size: Int) -> [UInt8] {
        (0..<size).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
}

/// A compiled model of one entity `Note`, as Xcode's compiler archives it: its attributes, with the flags of each.
package enum ArchivedModel {
    /// `types` are Core Data's numbers of attribute types: 700 text, 1000 data.
    package static func note(
        _ attributes: [(name: String, type: Int64, flags: Int64)], inXML: Bool = false
    ) -> [UInt8] {
        let builder = ArchiveBuilder()
        let properties = attributes.map { name, type, flags in
            (
                name,
                builder.object("NSAttributeDescription", [
                    ("NSPropertyName", builder.text(name)), ("NSIsOptional", .boolean(true)),
                    ("NSAttributeType", .integer(type)), ("NSFlagsKey", .integer(flags)),
                ])
            )
        }
        let entity = builder.object("NSEntityDescription", [
            ("NSEntityName", builder.text("Note")), ("NSClassNameForEntity", builder.text("NSManagedObject")),
            ("NSProperties", builder.dictionary(properties)),
        ])
        let root = builder.object("NSManagedObjectModel", [("NSEntities", builder.dictionary([("Note", entity)]))])
        return inXML ? builder.xml(root) : builder.binary(root)
    }
}
