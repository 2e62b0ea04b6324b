internal import FirnLog
internal import FirnSQLite

/// Gathers one result column of a statement into a `Column`.
struct ColumnBuilder {
    private let type: StorageType
    /// Where the values are in the result.
    private let column: Int32
    /// Where the concrete entities are, for a reference that says it.
    private let entityColumn: Int32?
    private let destination: EntityNumber
    private var integers: [Int64] = []
    private var reals: [Double] = []
    private var bytes: [UInt8] = []
    private var ends: [Int] = []
    private var entities: [EntityNumber] = []
    private var nulls = NullMask()
    private var count = 0

    init(_ source: RowShape.Source) {
        type = source.type
        column = source.column
        entityColumn = source.entityColumn
        destination = source.destination
    }

    mutating func append(_ statement: Statement) {
        let storage = statement.storageClass(column)
        if storage == .null {
            nulls.insert(count)
        }
        count += 1
        switch type {
        case .integer: integers.append(statement.integer(column))
        case .real:
            // A text in a column of reals stands for NaN.
            reals.append(storage == .text ? .nan : statement.real(column))
        case .text:
            bytes.append(contentsOf: statement.textBytes(column))
            ends.append(bytes.count)
        case .blob:
            bytes.append(contentsOf: statement.blobBytes(column))
            ends.append(bytes.count)
        case .reference: appendReference(statement, isNull: storage == .null)
        case .none: break
        }
    }

    private mutating func appendReference(_ statement: Statement, isNull: Bool) {
        integers.append(statement.integer(column))
        if isNull {
            entities.append(EntityNumber(0))
        } else if let entityColumn {
            entities.append(EntityNumber(UInt32(statement.integer(entityColumn))))
        } else {
            entities.append(destination)
        }
    }

    consuming func finish() -> Column {
        let values: Column.Values =
            switch type {
            case .none: .touched(count: count)
            case .integer: .integers(integers)
            case .real: .reals(reals)
            case .text: .texts(ByteRuns(ends: ends, bytes: bytes))
            case .blob: .blobs(ByteRuns(ends: ends, bytes: bytes))
            case .reference: .references(primaryKeys: integers, entities: entities)
            }
        return Column(values: values, nulls: nulls)
    }
}
