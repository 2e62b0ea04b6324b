/// Makes the object file of a module's accessors: code that no compiler makes, since it is the same for all of a kind.
///
///     getter:  the row's address into the first register for arguments, jump to the getter of the kind
///     setter:  the same into the one behind the value
///
/// The table is described in `AccessorTables.swift`, the rows in `AccessorRow.swift`.
struct AccessorObject {
    private var file: ObjectFile
    private static let tableSize = 32
    private static let rowSize = 24

    init(_ accessors: [Accessor], _ processor: Processor) {
        file = ObjectFile(processor)
        let properties = accessors.filter { $0.entries.count == 2 }
        appendTable(count: properties.count)
        for accessor in properties + accessors.filter({ $0.entries.count == 1 }) { append(accessor) }
        appendStart()
    }

    func bytes() -> [UInt8] { file.bytes() }
    var definedNames: [String] { file.definedNames }

    private mutating func appendTable(count: Int) {
        var bytes = [UInt8](repeating: 0, count: 16)
        bytes.put(UInt64(count))
        bytes.put(UInt64(0))
        file.append(bytes, to: .rows)
        file.relocate(.rows, at: 8, file.processor.address, .section(.code, 0))
        file.relocate(.rows, at: 24, file.processor.address, .section(.rows, Self.tableSize))
    }

    private mutating func append(_ accessor: Accessor) {
        let row = file.count(.rows)
        var bytes = [UInt8](repeating: 0, count: 8)
        for (offset, name) in [(8, accessor.key), (16, accessor.type ?? "")] {
            bytes.put(UInt32(0))
            if offset == 16, let function = accessor.typeFunction {
                file.relocate(.rows, at: row + offset, file.processor.distance, .symbol(function))
                bytes.put(UInt32.max)
                continue
            }
            file.relocate(
                .rows, at: row + offset, file.processor.distance, .section(.names, file.count(.names)))
            bytes.put(UInt32(name.utf8.count))
            file.append(Array(name.utf8) + [0], to: .names)
        }
        file.append(bytes, to: .rows)
        for entry in accessor.entries {
            file.define(entry.symbol, in: .code, size: Processor.accessorSize)
            file.processor.appendJump(
                to: entry.function, row: entry.register.map { _ in row }, register: entry.register ?? 0, &file)
        }
    }

    /// What is called when the program is loaded.
    private mutating func appendStart() {
        let place = file.count(.code)
        file.processor.appendJump(to: "firn_add_accessors", row: 0, register: 0, &file)
        file.append([UInt8](repeating: 0, count: 8), to: .start)
        file.relocate(.start, at: 0, file.processor.address, .section(.code, place))
    }
}

/// The accessors of one member: of a property its getter and its setter, or a method.
struct Accessor {
    struct Entry {
        /// What the compiler left undefined.
        var symbol: String
        /// What it jumps to, and the place of the row among that function's arguments; nil for a method in Swift that
        /// stands for this member alone.
        var function: String
        var register: Int?
    }

    /// The property's name, or the relationship's.
    var key: String
    /// The mangled name of its type, where its accessors need it.
    var type: String?
    /// The function in Swift that gives its type, for one that is not found by its name.
    var typeFunction: String?
    var entries: [Entry]
    /// The methods in Swift that the entries jump to, if any.
    var source: Source?

    struct Source {
        /// The file with the member, whose imports the methods need.
        var file: String
        var text: String
    }
}
