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
        case .binary, .transformable: self = .blob
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

    init(_ sql: String, _ type: SQLType, isColumn: Bool = false) {
        self.sql = sql
        self.type = type
        self.isColumn = isColumn
    }
}
