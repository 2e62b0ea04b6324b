import Foundation

/// The library of all modules' accessors, an archive of object files as `ar` writes it: the linker takes from it the
/// files whose symbols a program uses. https://man7.org/linux/man-pages/man5/ar.5.html
///
/// It is where the linker looks, next to the programs that are built. A member goes with a source file; its date
/// says of what version.
package struct Archive {
    /// Of `link "FirnAccessors"` in the module map that the classes' module imports.
    package static let fileName = "libFirnAccessors.a"
    private static let magic = Array("!<arch>\n".utf8)
    private static let headerSize = 60

    package struct Member {
        /// Of at most 12 digits.
        var stamp: Int
        /// Whether accessors in Swift go with it.
        var needsSource: Bool
        package var bytes: [UInt8]
        /// The symbols that are found here.
        var names: [String]
    }

    /// By name, which has at most 15 characters.
    package var members: [String: Member] = [:]

    /// Reads an archive that this tool wrote; one that is damaged is as none.
    package init(_ bytes: [UInt8]) {
        guard bytes.starts(with: Self.magic) else { return }
        var names: [Int: [String]] = [:]
        var position = Self.magic.count
        while position + Self.headerSize <= bytes.count {
            let header = String(decoding: bytes[position..<(position + Self.headerSize)], as: UTF8.self)
            let name = header.prefix(16).prefix { $0 != " " }
            let start = position + Self.headerSize
            guard let size = Int(header.dropFirst(48).prefix { $0 != " " }), start + size <= bytes.count else { break }
            let content = Array(bytes[start..<(start + size)])
            if name == "/" {
                names = Self.names(content)
            } else {
                members[String(name.dropLast())] = Member(
                    stamp: Int(header.dropFirst(16).prefix(12).prefix { $0 != " " }) ?? 0,
                    needsSource: header.dropFirst(28).first == "1", bytes: content, names: names[position] ?? [])
            }
            position = start + size + size % 2
        }
    }

    /// Index of symbols, then the members.
    func bytes() -> [UInt8] {
        let sorted = members.sorted { $0.key < $1.key }
        let count = sorted.reduce(0) { $0 + $1.value.names.count }
        let text = sorted.reduce(into: [UInt8]()) { text, member in
            for name in member.value.names { text += Array(name.utf8) + [0] }
        }
        let indexSize = 4 + 4 * count + text.count
        var places: [UInt8] = Self.big(count)
        var content: [UInt8] = []
        let first = Self.magic.count + Self.headerSize + indexSize + indexSize % 2
        for (name, member) in sorted {
            let place = Self.big(first + content.count)
            for _ in member.names { places += place }
            content += Self.member(name + "/", member.bytes, date: member.stamp, owner: member.needsSource ? 1 : 0)
        }
        return Self.magic + Self.member("/", places + text) + content
    }

    private static func member(_ name: String, _ bytes: [UInt8], date: Int = 0, owner: Int = 0) -> [UInt8] {
        let fields = [
            (name, 16), (String(date), 12), (String(owner), 6), ("0", 6), ("644", 8), (String(bytes.count), 10),
        ]
        let header = fields.map { $0.padding(toLength: $1, withPad: " ", startingAt: 0) }.joined() + "`\n"
        return Array(header.utf8) + bytes + (bytes.count % 2 == 1 ? [0x0A] : [])
    }

    private static func big(_ number: Int) -> [UInt8] {
        withUnsafeBytes(of: UInt32(number).bigEndian) { Array($0) }
    }

    /// The symbols of an index by the places of the members that have them.
    private static func names(_ index: [UInt8]) -> [Int: [String]] {
        func number(_ place: Int) -> Int { index[place..<(place + 4)].reduce(0) { $0 << 8 | Int($1) } }
        guard index.count >= 4, index.count >= 4 + 4 * number(0) else { return [:] }
        let count = number(0)
        let names = index[(4 + 4 * count)...].split(separator: 0).prefix(count)
        return names.enumerated().reduce(into: [:]) { result, name in
            result[number(4 + 4 * name.offset), default: []].append(String(decoding: name.element, as: UTF8.self))
        }
    }
}
