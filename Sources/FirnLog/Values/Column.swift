/// The values of one property for a run of objects, typed, without a box for each value.
///
/// A null takes a place in `values` (zero, or an empty run) and is marked in `nulls`, so that row `i` is always at
/// index `i`.
public struct Column: Hashable, Sendable {
    public enum Values: Hashable, Sendable {
        /// Nothing is kept: a to-many relationship that was touched, whose members are told elsewhere.
        case touched(count: Int)
        case integers([Int64])
        case reals([Double])
        case texts(ByteRuns)
        case blobs(ByteRuns)
        case references(primaryKeys: [Int64], entities: [EntityNumber])
    }

    /// The values, but for those of texts and blobs, which stand in `runs`: taken out of a case to be appended to, they
    /// would be copied each time.
    private var fixed: Values
    private var runs = ByteRuns()
    public private(set) var nulls = NullMask()

    public init(_ type: StorageType) {
        switch type {
        case .none: fixed = .touched(count: 0)
        case .integer: fixed = .integers([])
        case .real: fixed = .reals([])
        case .text: fixed = .texts(ByteRuns())
        case .blob: fixed = .blobs(ByteRuns())
        case .reference: fixed = .references(primaryKeys: [], entities: [])
        }
    }

    public var values: Values {
        switch fixed {
        case .texts: .texts(runs)
        case .blobs: .blobs(runs)
        default: fixed
        }
    }

    /// A column of values that are there already; the nulls among them take a zero's or an empty run's place.
    public init(values: Values, nulls: NullMask = NullMask()) {
        switch values {
        case .texts(let runs):
            fixed = .texts(ByteRuns())
            self.runs = runs
        case .blobs(let runs):
            fixed = .blobs(ByteRuns())
            self.runs = runs
        default: fixed = values
        }
        self.nulls = nulls
        precondition(
            nulls.words.count <= (count + 63) / 64, "a column cannot have nulls after its last row")
    }

    /// The runs of a column of that type; nil if it is of another.
    func runs(of type: StorageType) -> ByteRuns? {
        type == self.type && (type == .text || type == .blob) ? runs : nil
    }

    public var type: StorageType {
        switch fixed {
        case .touched: .none
        case .integers: .integer
        case .reals: .real
        case .texts: .text
        case .blobs: .blob
        case .references: .reference
        }
    }

    public var count: Int {
        switch fixed {
        case .touched(let count): count
        case .integers(let values): values.count
        case .reals(let values): values.count
        case .texts, .blobs: runs.count
        case .references(let keys, _): keys.count
        }
    }

    /// About so many bytes of values are in memory.
    var heldSize: Int {
        switch fixed {
        case .touched: 0
        case .integers, .reals: 8 * count
        case .texts, .blobs: 8 * runs.count + runs.bytes.count
        case .references: 12 * count
        }
    }

    public func isNull(at index: Int) -> Bool { nulls.contains(index) }

    /// The value at `index`. Allocates for long texts and blobs; loops over many rows should switch on `values`.
    public subscript(index: Int) -> PropertyValue {
        if nulls.contains(index) { return .null }
        switch fixed {
        case .touched: return .null
        case .integers(let values): return .integer(values[index])
        case .reals(let values): return .real(values[index])
        case .texts: return .text(runs.text(at: index))
        case .blobs: return .blob(runs.blob(at: index))
        case .references(let keys, let entities):
            return .reference(ObjectKey(entity: entities[index], primaryKey: keys[index]))
        }
    }

    public mutating func appendNull() {
        nulls.insert(count)
        switch fixed {
        case .touched(let count): fixed = .touched(count: count + 1)
        case .integers: append(0 as Int64)
        case .reals: append(0 as Double)
        case .texts, .blobs: append(bytes: UnsafeRawBufferPointer(start: nil, count: 0))
        case .references: append(ObjectKey(entity: EntityNumber(0), primaryKey: 0))
        }
    }

    public mutating func appendTouched() {
        guard case .touched(let count) = fixed else { mismatch("nothing") }
        fixed = .touched(count: count + 1)
    }

    public mutating func append(_ value: Int64) {
        guard case .integers(var array) = take() else { mismatch("an integer") }
        array.append(value)
        fixed = .integers(array)
    }

    public mutating func append(_ value: Double) {
        guard case .reals(var array) = take() else { mismatch("a real") }
        array.append(value)
        fixed = .reals(array)
    }

    public mutating func append(_ text: String) {
        guard case .texts = fixed else { mismatch("a text") }
        runs.append(text)
    }

    /// Appends to a column of texts (which must be UTF-8) or of blobs.
    public mutating func append(bytes: UnsafeRawBufferPointer) {
        switch fixed {
        case .texts, .blobs: runs.append(bytes)
        default: mismatch("bytes")
        }
    }

    public mutating func append(_ key: ObjectKey) {
        guard case .references(var keys, var entities) = take() else { mismatch("a reference") }
        keys.append(key.primaryKey)
        entities.append(key.entity)
        fixed = .references(primaryKeys: keys, entities: entities)
    }

    /// The values, of which the column keeps no copy meanwhile: what is appended to them is appended in place.
    @inline(__always)
    private mutating func take() -> Values {
        var taken = Values.touched(count: 0)
        swap(&taken, &fixed)
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

    private func mismatch(_ what: String) -> Never {
        preconditionFailure("cannot append \(what) to a column of another type")
    }
}

/// How the values of a property are kept: what SQLite calls a storage class, and references.
public enum StorageType: UInt8, Hashable, Sendable, CaseIterable {
    case none = 0
    case integer = 1
    case real = 2
    case text = 3
    case blob = 4
    case reference = 5
}
