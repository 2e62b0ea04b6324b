internal import FirnFoundation
internal import FirnLog
internal import FirnModel

extension PredicateCompiler {
    /// `left IN right`.
    func isMember(_ left: Operand, _ right: Operand, _ test: Test, _ node: Node) throws -> String {
        switch right {
        case .collection(let query, let element, _):
            var equal = test
            equal.type = .equalTo
            query.conditions.append("(\(try compare(.value(element), left, equal)))")
            return "EXISTS (SELECT 1 \(query.source))"
        case .list(let members):
            if members.allSatisfy(\.isFixed) {
                return try isMember(
                    left, of: members.map(Self.constant), test)
            }
            var equal = test
            equal.type = .equalTo
            let terms = try members.map { "(\(try compare(left, try operand($0, node), equal)))" }
            return terms.isEmpty ? "0" : terms.joined(separator: " OR ")
        case .constant(let value):
            switch ConstantValue(value) {
            case .list(let members): return try isMember(left, of: members, test)
            case .null: return "0"
            default: return try isPart(left, of: right, test)
            }
        case .value: return try isPart(left, of: right, test)
        }
    }

    /// `left CONTAINS right`: of a text its part, of a collection its member.
    func contains(_ left: Operand, _ right: Operand, _ test: Test, _ node: Node) throws -> String {
        switch left {
        case .collection, .list: return try isMember(right, left, test, node)
        case .constant(let value):
            if case .list = ConstantValue(value) { return try isMember(right, left, test, node) }
            return try isPart(right, of: left, test)
        case .value: return try isPart(right, of: left, test)
        }
    }

    /// Whether a text is part of another.
    private func isPart(_ part: Operand, of whole: Operand, _ test: Test) throws -> String {
        let (text, search) = try pair(whole, part, test.part)
        guard let text, let search, text.type.isText || text.type == .any,
            search.type.isText || search.type == .any
        else { return answer(false, text, search) }
        return "firn_contains(\(text.sql), \(search.sql), \(test.options.rawValue))"
    }

    /// Membership in constants: one parameter for any count of them.
    func isMember(_ left: Operand, of members: [Any?], _ test: Test) throws -> String {
        switch left {
        case .constant(let value):
            let type = ConstantValue(value).type
            guard let bound = try bound(value, as: .any) else { return "0" }
            return isMember(SQLExpression(bound.sql, type), of: members, test)
        case .value(let value):
            if !members.allSatisfy(ConstantValue.isNull) { try left.refuseArchive(test.part) }
            return isMember(value, of: members, test)
        case .collection, .list:
            throw UnsupportedPredicate(
                test.part, "a to-many key is not allowed here; write ANY or ALL")
        }
    }

    func isMember(_ value: SQLExpression, of members: [Any?], _ test: Test) -> String {
        var stored: [PropertyValue] = []
        stored.reserveCapacity(members.count)
        var hasNull = false
        for member in members {
            let constant = ConstantValue(member)
            if case .null = constant {
                hasNull = true
            } else if case .entity(let entity) = constant, value.type == .entity,
                let known = catalog.entity(equalTo: entity)
            {
                stored.append(.integer(Int64(catalog.number(of: known).rawValue)))
            } else if let known = constant.stored(as: value.type, in: store) {
                stored += value.type == .blob ? Self.rowForms(of: known) : [known]
            }
        }
        var terms: [String] = []
        if !stored.isEmpty { terms.append(list(value, stored, test)) }
        if hasNull { terms.append("\(value.sql) IS NULL") }
        if terms.isEmpty { return members.isEmpty ? "0" : answer(false, value) }
        return terms.joined(separator: " OR ")
    }

    /// The forms of data in a row: the bytes, or the reference to the file that they are in.
    private static func rowForms(of value: PropertyValue) -> [PropertyValue] {
        guard case .blob(let bytes) = value else { return [value] }
        let reference = PropertyValue.blob(bytes.withUnsafeBytes { ExternalReference(to: $0) }.bytes)
        return ExternalReference(bytes: bytes) == nil ? [value, reference] : [reference]
    }

    private func list(_ value: SQLExpression, _ members: [PropertyValue], _ test: Test) -> String {
        let list = bind(members)
        if test.options.rawValue != 0, value.type.isText {
            let exists = "EXISTS \(list.dropLast()) "
                + "WHERE firn_equal(\(value.sql), value, \(test.options.rawValue)))"
            return nullRule == .store ? "CASE WHEN \(value.sql) IS NOT NULL THEN \(exists) END" : exists
        }
        let collation = value.type == .decimal ? " COLLATE firn_decimal" : ""
        return "\(value.sql)\(collation) IN \(list)"
    }
}
