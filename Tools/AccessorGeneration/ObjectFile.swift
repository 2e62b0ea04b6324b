/// A relocatable object file of ELF, as an assembler writes it: code, writable rows, names, and a function that runs
/// when the program is loaded. https://refspecs.linuxfoundation.org/elf/gabi4+/contents.html
struct ObjectFile {
    enum Section: Int, CaseIterable {
        case code = 1, rows, names, start

        var name: String { [".text", ".data", ".rodata", ".init_array"][rawValue - 1] }
        var type: UInt32 { self == .start ? Self.startArray : 1 }
        /// Writable 1, in memory 2, code 4.
        var flags: UInt64 { [6, 3, 2, 3][rawValue - 1] }
        var alignment: UInt64 { [16, 8, 1, 8][rawValue - 1] }

        private static let startArray: UInt32 = 14
    }

    private struct Relocation {
        var offset: Int
        var symbol: Int
        var type: UInt32
        var addend: Int
    }

    /// Where a place refers to.
    enum Target {
        case section(Section, Int)
        case symbol(String)
    }

    let processor: Processor
    private var contents: [Section: [UInt8]] = [:]
    private var relocations: [Section: [Relocation]] = [:]
    private var indexes: [String: Int] = [:]
    /// By index, after those of the sections; without a section for one that another file has.
    private var symbols: [(name: String, place: (section: Section, offset: Int, size: Int)?)] = []

    init(_ processor: Processor) { self.processor = processor }

    /// The symbols that other files find here.
    var definedNames: [String] { symbols.filter { $0.place != nil }.map(\.name) }

    func count(_ section: Section) -> Int { contents[section]?.count ?? 0 }

    mutating func append(_ bytes: [UInt8], to section: Section) { contents[section, default: []] += bytes }

    mutating func define(_ name: String, in section: Section, size: Int) {
        let index = index(of: name) - Self.symbolsBefore
        symbols[index].place = (section, count(section), size)
    }

    /// Lets the linker fill in what stands at an offset of a section.
    mutating func relocate(_ section: Section, at offset: Int, _ type: UInt32, _ target: Target, addend: Int = 0) {
        let relocation: Relocation
        switch target {
        case .section(let other, let place):
            relocation = Relocation(offset: offset, symbol: other.rawValue, type: type, addend: place + addend)
        case .symbol(let name):
            relocation = Relocation(offset: offset, symbol: index(of: name), type: type, addend: addend)
        }
        relocations[section, default: []].append(relocation)
    }

    /// None, and one for each section.
    private static let symbolsBefore = 1 + Section.allCases.count

    private mutating func index(of name: String) -> Int {
        if let index = indexes[name] { return index }
        let index = Self.symbolsBefore + symbols.count
        symbols.append((name, nil))
        indexes[name] = index
        return index
    }
}

extension ObjectFile {
    private static let headerSize = 64
    private static let sectionHeaderSize = 64
    private static let symbolSize = 24
    private static let relocationSize = 24

    /// A section's header but for its place in the file.
    private struct Header {
        var name: String
        var type: UInt32
        var flags: UInt64 = 0
        var bytes: [UInt8]
        var link: UInt32 = 0
        var info: UInt32 = 0
        var alignment: UInt64 = 8
        var entrySize: UInt64 = 0
    }

    /// The file's bytes: header, sections, table of sections.
    func bytes() -> [UInt8] {
        var strings = Strings()
        var headers = Section.allCases.map {
            Header(name: $0.name, type: $0.type, flags: $0.flags, bytes: contents[$0] ?? [], alignment: $0.alignment)
        }
        let symbolTable = UInt32(1 + 2 * Section.allCases.count + 1)
        for section in Section.allCases {
            var bytes: [UInt8] = []
            for relocation in relocations[section] ?? [] {
                bytes.put(UInt64(relocation.offset))
                bytes.put(UInt64(relocation.symbol) << 32 | UInt64(relocation.type))
                bytes.put(UInt64(bitPattern: Int64(relocation.addend)))
            }
            headers.append(
                Header(
                    name: ".rela" + section.name, type: 4, flags: 0x40, bytes: bytes, link: symbolTable,
                    info: UInt32(section.rawValue), entrySize: UInt64(Self.relocationSize)))
        }
        // Says that the stack need not hold code.
        headers.append(Header(name: ".note.GNU-stack", type: 1, bytes: [], alignment: 1))
        headers.append(
            Header(
                name: ".symtab", type: 2, bytes: symbolTableBytes(&strings), link: symbolTable + 1,
                info: UInt32(Self.symbolsBefore), entrySize: UInt64(Self.symbolSize)))
        let names = headers.map { strings.offset(of: $0.name) } + [strings.offset(of: ".strtab")]
        headers.append(Header(name: ".strtab", type: 3, bytes: strings.bytes, alignment: 1))
        var body: [UInt8] = []
        var table = [UInt8](repeating: 0, count: Self.sectionHeaderSize)
        for (header, name) in zip(headers, names) {
            while (Self.headerSize + body.count) % Int(header.alignment) != 0 { body.append(0) }
            table.put(name)
            table.put(header.type)
            table.put(header.flags)
            table.put(UInt64(0))
            table.put(UInt64(Self.headerSize + body.count))
            table.put(UInt64(header.bytes.count))
            table.put(header.link)
            table.put(header.info)
            table.put(header.alignment)
            table.put(header.entrySize)
            body += header.bytes
        }
        while body.count % 8 != 0 { body.append(0) }
        return fileHeader(tableOffset: Self.headerSize + body.count, count: headers.count + 1) + body + table
    }

    private func fileHeader(tableOffset: Int, count: Int) -> [UInt8] {
        var bytes: [UInt8] = [0x7F, 0x45, 0x4C, 0x46, 2, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0]
        bytes.put(UInt16(1))
        bytes.put(processor.machine)
        bytes.put(UInt32(1))
        bytes.put(UInt64(0))
        bytes.put(UInt64(0))
        bytes.put(UInt64(tableOffset))
        bytes.put(UInt32(0))
        for value in [Self.headerSize, 0, 0, Self.sectionHeaderSize, count, count - 1] { bytes.put(UInt16(value)) }
        return bytes
    }

    private func symbolTableBytes(_ strings: inout Strings) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Self.symbolSize)
        for section in Section.allCases {
            bytes.put(UInt32(0))
            bytes += [3, 0]
            bytes.put(UInt16(section.rawValue))
            bytes.put(UInt64(0))
            bytes.put(UInt64(0))
        }
        for symbol in symbols {
            bytes.put(strings.offset(of: symbol.name))
            // Global; a function that no other library replaces, or what another file has.
            bytes += symbol.place == nil ? [0x10, 0] : [0x12, 3]
            bytes.put(UInt16(symbol.place?.section.rawValue ?? 0))
            bytes.put(UInt64(symbol.place?.offset ?? 0))
            bytes.put(UInt64(symbol.place?.size ?? 0))
        }
        return bytes
    }
}

/// Names behind one another, each with a zero after it; the first is empty.
private struct Strings {
    private(set) var bytes: [UInt8] = [0]

    mutating func offset(of name: String) -> UInt32 {
        defer { bytes += Array(name.utf8) + [0] }
        return UInt32(bytes.count)
    }
}

extension [UInt8] {
    /// The number's bytes, lowest first.
    mutating func put(_ value: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: value.littleEndian) { append(contentsOf: $0) }
    }
}
