internal import FirnFoundation
internal import class FirnFoundation.NSSortDescriptor
internal import FirnLog
internal import Foundation

extension PredicateCompiler {
    /// ` ORDER BY …`; nil comes first when ascending, as SQLite has it
    /// (https://www.sqlite.org/lang_select.html#the_order_by_clause). Equal rows are ordered by their key.
    func orderClause(
        _ descriptors: [NSSortDescriptor], _ node: Node, needsOrder: Bool, isGrouped: Bool
    ) throws -> String {
        var terms = try descriptors.map { try orderTerm($0, node) }
        if !isGrouped, !terms.isEmpty || needsOrder { terms.append("\(node.alias).Z_PK") }
        return terms.isEmpty ? "" : " ORDER BY " + terms.joined(separator: ", ")
    }

    private func orderTerm(_ descriptor: NSSortDescriptor, _ node: Node) throws -> String {
        guard !descriptor.hasComparator, let key = descriptor.key else {
            throw UnsupportedPredicate(
                descriptor.description,
                "a comparator runs in memory only; sort by a key, or sort the result")
        }
        guard case .value(let value) = try resolve(key, from: node) else {
            throw UnsupportedPredicate(
                descriptor.description, "objects cannot be sorted by a to-many key; sort by its @count")
        }
        if value.type == .archive || value.type == .entity {
            throw UnsupportedPredicate(
                descriptor.description, "transformable values and entities have no order; sort by another attribute")
        }
        let selector = descriptor.selector?.description ?? "compare:"
        let sql: String
        if let search = descriptor.rankedSearch {
            guard value.type.isText else {
                throw UnsupportedPredicate(descriptor.description, "only texts have a rank; sort by a text attribute")
            }
            let tokens = PropertyValue.text(search.text).sqlLiteral
            sql = "firn_token_rank(\(value.sql), \(tokens), \(search.options.rawValue))"
        } else if selector != "compare:" {
            guard let ordering = TextOrdering(rawValue: selector) else {
                throw UnsupportedPredicate(
                    descriptor.description, "SQL has no order for “\(selector)”; sort the result")
            }
            // An order of texts leaves other values in their own, decimals among them, which are texts in the table.
            sql = value.type.isText || value.type == .any
                ? "\(value.sql) COLLATE \(ordering.collation)" : ordered(value)
        } else {
            sql = ordered(value)
        }
        return sql + (descriptor.ascending ? "" : " DESC")
    }

    func limit(_ count: Int, _ offset: Int) -> String {
        let window = Self.window(count, offset).map { bind(.integer($0)) }
        switch window.count {
        case 0: return ""
        case 1: return " LIMIT \(window[0])"
        default: return " LIMIT \(window[0]) OFFSET \(window[1])"
        }
    }

    /// The parameters of a window: none, a limit, or a limit and an offset. A limit of -1 is none.
    static func window(_ count: Int, _ offset: Int) -> [Int64] {
        if count <= 0, offset <= 0 { return [] }
        let limit = count > 0 ? Int64(count) : -1
        return offset > 0 ? [limit, Int64(offset)] : [limit]
    }
}
