internal import FirnLog

/// The type of an SQL expression's value. The other side of a comparison is bound in the same form.
enum SQLType: Hashable {
    case boolean
    case integer
    case real
    /// Seconds since 2001.
    case date
    case text
    case uri
    /// A text that compares as a number.
    case decimal
    case blob
    /// The archive of a transformable value: SQL cannot compare it.
    case archive
    case uuid
    /// A primary key of the root entity.
    case reference(root: EntityNumber)
    /// An entity's number.
    case entity
    /// Unknown to us; SQLite compares what it finds.
    case any

    init(_ kind: AttributeKind) {
        switch kind {
        case .integer16, .integer32, .integer64: self = .integer
        case .boolean: self = .boolean
        case .double, .float: self = .real
        case .decimal: self = .decimal
        case .string: self = .text
        case .date: self = .date
        case .binary: self = .blob
        case .transformable: self = .archive
        case .uuid: self = .uuid
        case .uri, .objectID: self = .uri
        }
    }

    var isText: Bool { self == .text || self == .uri }
    var isNumber: Bool {
        self == .integer || self == .real || self == .boolean || self == .decimal
    }
    /// Whether a text that it is compared with counts as the number that it is.
    var convertsTexts: Bool { isNumber || self == .date }
}

/// A piece of SQL with the type of its value. Values of the request are in it as parameters only.
struct SQLExpression: Hashable {
    var sql: String
    var type: SQLType
    /// Whether it is a bare column, so that an index may serve it.
    var isColumn = false
    /// Whether the value is a whole number of at most 32 bits, so that no sum of rows is beyond 64.
    var isNarrow = false

    init(_ sql: String, _ type: SQLType, isColumn: Bool = false, isNarrow: Bool = false) {
        self.sql = sql
        self.type = type
        self.isColumn = isColumn
        self.isNarrow = isNarrow
    }
}

extension SQLExpression {
    /// Whether the value may be the text NaN.
    var mayBeNaN: Bool { isColumn && (type == .real || type == .date) }

    /// The value with null for NaN, which SQL counts as 0.
    var withoutNaN: SQLExpression { mayBeNaN ? SQLExpression("nullif(\(sql), '\(notANumber)')", type) : self }

    /// The value in the form of `kind`, the result type that an expression description declares. What a conversion
    /// cannot read as such is null.
    func converted(to kind: AttributeKind) -> SQLExpression {
        let target = SQLType(kind)
        if target == type { return self }
        switch kind {
        // Of a decimal's text SQLite reads the digits before the point, all of them.
        case .integer16, .integer32, .integer64:
            return SQLExpression("CAST(\(type == .decimal ? sql : number) AS INTEGER)", target)
        case .double, .float, .date: return SQLExpression("firn_real(\(sql))", target)
        case .decimal where type.isText: return SQLExpression("firn_decimal(firn_number(\(sql)))", target)
        case .decimal: return SQLExpression("firn_decimal(\(sql))", target)
        case .boolean: return SQLExpression("(\(number) <> 0)", target)
        case .string where !type.isBytes: return SQLExpression("CAST(\(sql) AS TEXT)", target)
        case .string, .binary, .transformable, .uuid, .uri, .objectID: return self
        }
    }

    /// The value as a number, also for decimals, which are stored as texts.
    private var number: String { type == .integer || type == .boolean || type == .real ? sql : "firn_real(\(sql))" }
}

extension SQLType {
    fileprivate var isBytes: Bool { self == .blob || self == .archive || self == .uuid }
}

extension PropertyValue {
    /// The value as SQL. For definitions, which have no parameters; a fetch binds its values.
    var sqlLiteral: String {
        switch self {
        case .null: "NULL"
        case .integer(let value): String(value)
        case .real(let value) where value.isNaN: "'\(notANumber)'"
        case .real(let value) where value.isInfinite: value < 0 ? "-9e999" : "9e999"
        case .real(let value): "\(value)"
        // In hexadecimal there is nothing to escape, not even NUL.
        case .text(let value): "CAST(x'\(value.utf8.hexadecimal)' AS TEXT)"
        case .blob(let value): "x'\(value.hexadecimal)'"
        case .reference(let key): String(key.primaryKey)
        }
    }
}
