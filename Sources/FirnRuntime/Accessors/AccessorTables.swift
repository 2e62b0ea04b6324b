import Synchronization

/// The modules' tables of accessors, each as the plugin `ManagedClasses` links it:
///
///     byte  0   the table that was there before it, 0 for none       byte 16   the number of its properties
///     byte  8   the code of its first accessor                       byte 24   the row of its first property
///
/// The accessors of a property are 32 bytes of code: its getter, and its setter from byte 16.
public enum AccessorTables {
    private static let last = Atomic<UInt>(0)
    private static let codeSize = 32

    static func add(_ table: UnsafeMutableRawPointer) {
        var before = last.load(ordering: .acquiring)
        var isAdded = false
        while !isAdded {
            table.storeBytes(of: before, as: UInt.self)
            (isAdded, before) = last.compareExchange(
                expected: before, desired: UInt(bitPattern: table), ordering: .acquiringAndReleasing)
        }
    }

    /// The name of the property that a step leads to; nil for what is no `@NSManaged` property.
    public static func name(of step: KeyPathStep) -> String? {
        if let name = name(getter: step.identity) { return name }
        // An entry of a table of methods: flags, and the distance to the code.
        guard let entry = UnsafeRawPointer(bitPattern: step.identity), step.identity & 3 == 0 else { return nil }
        let distance = Int(entry.load(fromByteOffset: 4, as: Int32.self))
        return name(getter: UInt(bitPattern: entry + 4 + distance))
    }

    private static func name(getter: UInt) -> String? {
        var next = last.load(ordering: .acquiring)
        while let table = UnsafeRawPointer(bitPattern: next) {
            let start = table.load(fromByteOffset: 8, as: UInt.self)
            let count = table.load(fromByteOffset: 16, as: Int.self)
            let offset = Int(bitPattern: getter &- start)
            if offset >= 0, offset < count * codeSize, offset % codeSize == 0 {
                let rows = table.load(fromByteOffset: 24, as: UnsafeRawPointer.self)
                return AccessorRow(rows + offset / codeSize * AccessorRow.size).name
            }
            next = table.load(as: UInt.self)
        }
        return nil
    }
}

/// Called for each module's table when the program is loaded.
@_cdecl("firn_add_accessors")
public func addAccessors(_ table: UnsafeMutableRawPointer) { AccessorTables.add(table) }
