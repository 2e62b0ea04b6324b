internal import FirnLog

extension SQLExpression {
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
    fileprivate var isBytes: Bool { self == .blob || self == .uuid }
}
