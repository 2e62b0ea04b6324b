import Foundation

/// The accessors of one source file, which are made where they are asked for.
final class FileAccessors {
    /// The member of the library: some digits for the module, some for the file.
    let name: String
    /// Changes with what the accessors are made from: the file, the types that are declared, this tool.
    let stamp: Int
    private let make: () throws -> [Accessor]
    private var made: [Accessor]?

    init(
        _ path: String, prefix: String, _ contents: Data, types: Stamp, make: @escaping () throws -> [Accessor]
    ) {
        name = prefix + MD5.hex(path).prefix(8)
        var stamp = types
        stamp.add(contents)
        self.stamp = stamp.number
        self.make = make
    }

    static func prefix(_ module: String) -> String { String(MD5.hex(module).prefix(7)) }

    func accessors() throws -> [Accessor] {
        if let made { return made }
        let accessors = try make()
        made = accessors
        return accessors
    }
}

/// Tells one state of files and texts from others. https://datatracker.ietf.org/doc/html/draft-eastlake-fnv
struct Stamp {
    private var hash: UInt64 = 0xCBF2_9CE4_8422_2325

    /// Of at most 12 digits.
    var number: Int { Int(hash % 999_999_999_999) }

    mutating func add(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        hash = (hash ^ 0xFF) &* 0x100_0000_01B3
    }

    mutating func add(_ text: String) { add(text.utf8) }

    mutating func add(_ type: TypeDeclaration) {
        add(type.module)
        add(type.path.joined(separator: "."))
        switch type.kind {
        case .class: add("class")
        case .struct: add("struct")
        case .enum: add("enum")
        case .protocol: add("protocol")
        case .alias(let syntax): add("\(syntax)")
        }
        add(type.superclass?.joined(separator: ".") ?? "")
    }
}
