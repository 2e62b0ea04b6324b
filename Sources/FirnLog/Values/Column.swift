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

    public private(set) var values: Values
    public private(set) var nulls = NullMask()

    public init(_ type: StorageType) {
        switch type {
        case .none: values = .touched(count: 0)
        case .integer: values = .integers([])
        case .real: values = .reals([])
        case .text: values = .texts(ByteRuns())
        case .blob: values = .blobs(ByteRuns())
        case .reference: values = .references(primaryKeys: [], entities: [])
        }
    }

    /// A column of values that are there already; the nulls among them take a zero's or an empty run's place.
    public init(values: Values, nulls: NullMask = NullMask()) {
        self.values = values
        self.nulls = nulls
        precondition(
            nulls.words.count <= (count + 63) / 64, "a column cannot have nulls after its last row")
    }

    /// The runs of a column of that type; nil if it is of another.
    func runs(of type: StorageType) -> ByteRuns? {
        switch values {
        case .texts(let runs): type == .text ? runs : nil
        case .blobs(let runs): type == .blob ? runs : nil
        default: nil
        }
    }

    public var type: StorageType {
        switch values {
        case .touched: .none
        case .integers: .integer
        case .reals: .real
        case .texts: .text
        case .blobs: .blob
        case .references: .reference
        }
    }

    public var count: Int {
        switch values {
        case .touched(let count): count
        case .integers(let values): values.count
        case .reals(let values): values.count
        case .texts(let runs), .blobs(let runs): runs.count
        case .references(let keys, _): keys.count
        }
    }

    public func isNull(at index: Int) -> Bool { nulls.contains(index) }

    /// The value at `index`. Allocates for long texts and blobs; loops over many rows should switch on `values`.
    public subscript(index: Int) -> PropertyValue {
        if nulls.contains(index) { return .null }
        switch values {
        case .touched: return .null
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
        switch values {
        case .touched(let count): values = .touched(count: count + 1)
        case .integers: append(0 as Int64)
        case .reals: append(0 as Double)
        case .texts, .blobs: append(bytes: UnsafeRawBufferPointer(start: nil, count: 0))
        case .references: append(ObjectKey(entity: EntityNumber(0), primaryKey: 0))
        }
    }

    public mutating func appendTouched() {
        guard case .touched(let count) = values else { mismatch("nothing") }
        values = .touched(count: count + 1)
    }

    public mutating func append(_ value: Int64) {
        guard case .integers(var array) = take() else { mismatch("an integer") }
        array.append(value)
        values = .integers(array)
    }

    public mutating func append(_ value: Double) {
        guard case .reals(var array) = take() else { mismatch("a real") }
        array.append(value)
        values = .reals(array)
    }

    public mutating func append(_ text: String) {
        guard case .texts(var runs) = take() else { mismatch("a text") }
        runs.append(text)
        values = .texts(runs)
    }

    /// Appends to a column of texts (which must be UTF-8) or of blobs.
    public mutating func append(bytes: UnsafeRawBufferPointer) {
        switch take() {
        case .texts(var runs):
            runs.append(bytes)
            values = .texts(runs)
        case .blobs(var runs):
            runs.append(bytes)
            values = .blobs(runs)
        default: mismatch("bytes")
        }
    }

    public mutating func append(_ key: ObjectKey) {
        guard case .references(var keys, var entities) = take() else { mismatch("a reference") }
        keys.append(key.primaryKey)
        entities.append(key.entity)
        values = .references(primaryKeys: keys, entities: entities)
    }

    /// The values, of which the column keeps no copy meanwhile: what is appended to them is appended in place.
    @inline(__always)
    private mutating func take() -> Values {
        var taken = Values.touched(count: 0)
        swap(&taken, &values)
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
