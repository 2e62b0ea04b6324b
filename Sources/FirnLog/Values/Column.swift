/// The values of one property for a run of objects, typed, without a box for each value.
///
/// A null takes a place in `values` (zero, or an empty run) and is marked in `nulls`, so that row `i` is always at
/// index `i`.
public struct Column: Hashable, Sendable {
    public enum Values: Hashable, Sendable {
        /// No value: a to-many relationship that was touched, whose members are in other columns or in links.
        case touched(count: Int)
        case integers([Int64])
        case reals([Double])
        case texts(ByteRuns)
        case blobs(ByteRuns)
        case references(primaryKeys: [Int64], entities: [EntityNumber])
    }

    /// How the values are stored. Each column has one form only, so that equal columns are stored alike.
    @usableFromInline enum Storage: Hashable, Sendable {
        case touched(count: Int)
        /// The number of a column of one row, which most saves have, takes no array.
        case integer(Int64)
        case real(Double)
        case integers([Int64])
        case reals([Double])
        case texts(ByteRuns)
        case blobs(ByteRuns)
        case references(primaryKeys: [Int64], entities: [EntityNumber])
    }

    @usableFromInline var storage: Storage
    public private(set) var nulls = NullMask()

    public init(_ type: StorageType) {
        switch type {
        case .none: storage = .touched(count: 0)
        case .integer: storage = .integers([])
        case .real: storage = .reals([])
        case .text: storage = .texts(ByteRuns())
        case .blob: storage = .blobs(ByteRuns())
        case .reference: storage = .references(primaryKeys: [], entities: [])
        }
    }

    /// Allocates for the number of a column of one row: see `onlyNumber`.
    public var values: Values {
        switch storage {
        case .touched(let count): .touched(count: count)
        case .integer(let value): .integers([value])
        case .real(let value): .reals([value])
        case .integers(let values): .integers(values)
        case .reals(let values): .reals(values)
        case .texts(let runs): .texts(runs)
        case .blobs(let runs): .blobs(runs)
        case .references(let keys, let entities): .references(primaryKeys: keys, entities: entities)
        }
    }

    /// An integer or a real.
    package enum Number {
        case integer(Int64)
        case real(Double)
    }

    /// The number of a column of numbers that has one row, zero in place of a null; nil for any other column.
    package var onlyNumber: Number? {
        switch storage {
        case .integer(let value): .integer(value)
        case .real(let value): .real(value)
        default: nil
        }
    }

    /// A column of one row: allocates nothing.
    package init(only number: Number, nulls: NullMask = NullMask()) {
        switch number {
        case .integer(let value): storage = .integer(value)
        case .real(let value): storage = .real(value)
        }
        self.nulls = nulls
    }

    /// A column of values that are there already; the nulls among them take a zero's or an empty run's place.
    public init(values: Values, nulls: NullMask = NullMask()) {
        switch values {
        case .touched(let count): storage = .touched(count: count)
        case .integers(let values): storage = values.count == 1 ? .integer(values[0]) : .integers(values)
        case .reals(let values): storage = values.count == 1 ? .real(values[0]) : .reals(values)
        case .texts(let runs): storage = .texts(runs)
        case .blobs(let runs): storage = .blobs(runs)
        case .references(let keys, let entities): storage = .references(primaryKeys: keys, entities: entities)
        }
        self.nulls = nulls
        guard nulls.words.count <= (count + 63) / 64 else {
            fatalError("a column cannot have nulls after its last row")
        }
    }

    /// The runs of a column of that type; nil if it is of another.
    func runs(of type: StorageType) -> ByteRuns? {
        switch storage {
        case .texts(let runs) where type == .text: runs
        case .blobs(let runs) where type == .blob: runs
        default: nil
        }
    }

    public var type: StorageType {
        switch storage {
        case .touched: .none
        case .integer, .integers: .integer
        case .real, .reals: .real
        case .texts: .text
        case .blobs: .blob
        case .references: .reference
        }
    }

    public var count: Int {
        switch storage {
        case .touched(let count): count
        case .integer, .real: 1
        case .integers(let values): values.count
        case .reals(let values): values.count
        case .texts(let runs), .blobs(let runs): runs.count
        case .references(let keys, _): keys.count
        }
    }

    /// About how many bytes the values take in memory.
    var heldSize: Int {
        switch storage {
        case .touched: 0
        case .integer, .real: 8
        case .integers, .reals: 8 * count
        case .texts(let runs), .blobs(let runs): 8 * runs.count + runs.bytes.count
        case .references: 12 * count
        }
    }

    /// Bytes that the column has allocated, room for more values included.
    package var allocatedSize: Int {
        let values =
            switch storage {
            case .touched, .integer, .real: 0
            case .integers(let values): values.allocatedSize
            case .reals(let values): values.allocatedSize
            case .texts(let runs), .blobs(let runs): runs.ends.allocatedSize + runs.bytes.allocatedSize
            case .references(let keys, let entities): keys.allocatedSize + entities.allocatedSize
            }
        return values + (nulls.isEmpty ? 0 : nulls.words.allocatedSize)
    }

    public func isNull(at index: Int) -> Bool { nulls.contains(index) }

    /// The value at `index`. Allocates for long texts and blobs; loops over many rows should switch on `values`.
    public subscript(index: Int) -> PropertyValue {
        if nulls.contains(index) { return .null }
        switch storage {
        case .touched: return .null
        case .integer where index != 0, .real where index != 0: fatalError("a column of one row has no other")
        case .integer(let value): return .integer(value)
        case .real(let value): return .real(value)
        case .integers(let values): return .integer(values[index])
        case .reals(let values): return .real(values[index])
        case .texts(let runs): return .text(runs.text(at: index))
        case .blobs(let runs): return .blob(runs.blob(at: index))
        case .references(let keys, let entities):
            return .reference(ObjectKey(entity: entities[index], primaryKey: keys[index]))
        }
    }

    public mutating func appendNull() {
        nulls.insert(count)
        switch storage {
        case .touched(let count): storage = .touched(count: count + 1)
        case .integer, .integers: append(0 as Int64)
        case .real, .reals: append(0 as Double)
        case .texts, .blobs: append(bytes: UnsafeRawBufferPointer(start: nil, count: 0))
        case .references: append(ObjectKey(entity: EntityNumber(0), primaryKey: 0))
        }
    }

    public mutating func appendTouched() {
        guard case .touched(let count) = storage else { mismatch("nothing") }
        storage = .touched(count: count + 1)
    }

    public mutating func append(_ value: Int64) {
        if case .integer(let first) = storage {
            storage = .integers([first, value])
            return
        }
        guard case .integers(var array) = moveStorage() else { mismatch("an integer") }
        if array.isEmpty {
            storage = .integer(value)
        } else {
            array.append(value)
            storage = .integers(array)
        }
    }

    public mutating func append(_ value: Double) {
        if case .real(let first) = storage {
            storage = .reals([first, value])
            return
        }
        guard case .reals(var array) = moveStorage() else { mismatch("a real") }
        if array.isEmpty {
            storage = .real(value)
        } else {
            array.append(value)
            storage = .reals(array)
        }
    }

    /// Appends to a column of integers up to `count` values, as long as there is one. Gives how many there were.
    /// O(count)
    @inlinable
    public mutating func appendIntegers(_ count: Int, _ value: (Int) -> Int64?) -> Int {
        guard count > 1 else { return appendOne(count == 0 ? nil : value(0)) }
        var array: [Int64]
        switch moveStorage() {
        case .integer(let first): array = [first]
        case .integers(let all): array = all
        default: mismatch("an integer")
        }
        var index = 0
        while index < count, let next = value(index) {
            array.append(next)
            index += 1
        }
        storage = array.count == 1 ? .integer(array[0]) : .integers(array)
        return index
    }

    /// As `appendIntegers(_:_:)`, to a column of reals.
    @inlinable
    public mutating func appendReals(_ count: Int, _ value: (Int) -> Double?) -> Int {
        guard count > 1 else { return appendOne(count == 0 ? nil : value(0)) }
        var array: [Double]
        switch moveStorage() {
        case .real(let first): array = [first]
        case .reals(let all): array = all
        default: mismatch("a real")
        }
        var index = 0
        while index < count, let next = value(index) {
            array.append(next)
            index += 1
        }
        storage = array.count == 1 ? .real(array[0]) : .reals(array)
        return index
    }

    /// Reserves capacity for `count` values in all, if they are numbers.
    public mutating func reserve(_ count: Int) {
        switch moveStorage() {
        case .integers(var array):
            array.reserveCapacity(count)
            storage = .integers(array)
        case .reals(var array):
            array.reserveCapacity(count)
            storage = .reals(array)
        case let other: storage = other
        }
    }

    @usableFromInline
    mutating func appendOne(_ value: Int64?) -> Int {
        guard let value else { return 0 }
        append(value)
        return 1
    }

    @usableFromInline
    mutating func appendOne(_ value: Double?) -> Int {
        guard let value else { return 0 }
        append(value)
        return 1
    }

    public mutating func append(_ text: String) {
        guard case .texts(var runs) = moveStorage() else { mismatch("a text") }
        runs.append(text)
        storage = .texts(runs)
    }

    /// Appends to a column of texts (which must be UTF-8) or of blobs.
    public mutating func append(bytes: UnsafeRawBufferPointer) {
        if type == .text {
            guard case .texts(var runs) = moveStorage() else { mismatch("bytes") }
            runs.append(bytes)
            storage = .texts(runs)
        } else {
            guard case .blobs(var runs) = moveStorage() else { mismatch("bytes") }
            runs.append(bytes)
            storage = .blobs(runs)
        }
    }

    public mutating func append(_ key: ObjectKey) {
        guard case .references(var keys, var entities) = moveStorage() else { mismatch("a reference") }
        keys.append(key.primaryKey)
        entities.append(key.entity)
        storage = .references(primaryKeys: keys, entities: entities)
    }

    /// Moves the values out of the column, so that appending to them copies nothing.
    @inlinable @inline(__always)
    mutating func moveStorage() -> Storage {
        var taken = Storage.touched(count: 0)
        swap(&taken, &storage)
        return taken
    }

    public mutating func append(_ value: PropertyValue) {
        switch value {
        case .null: appendNull()
        case .integer(let value): append(value)
        case .real(let value): append(value)
        case .text(let value): append(value)
        case .blob(let value): value.withUnsafeBytes { append(bytes: $0) }
        case .reference(let key): append(key)
        }
    }

    @usableFromInline
    func mismatch(_ what: String) -> Never {
        fatalError("cannot append \(what) to a column of another type")
    }
}

extension Array {
    /// Bytes of the block that the elements are in, with its header, as the allocator gives them.
    package var allocatedSize: Int {
        if capacity == 0 { return 0 }
        return (arrayHeaderSize + capacity * MemoryLayout<Element>.stride + 15) & ~15
    }
}

/// The size in bytes of what Swift has before the first element, and the allocator before that.
private let arrayHeaderSize = 48

/// How the values of a property are stored: what SQLite calls a storage class, and references.
public enum StorageType: UInt8, Hashable, Sendable, CaseIterable {
    case none = 0
    case integer = 1
    case real = 2
    case text = 3
    case blob = 4
    case reference = 5
}
