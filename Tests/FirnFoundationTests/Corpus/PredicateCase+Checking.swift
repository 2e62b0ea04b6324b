import FirnFoundation
import class FirnFoundation.NSCompoundPredicate
import class FirnFoundation.NSExpression
import class FirnFoundation.NSPredicate
import Foundation

extension PredicateCase {
    /// What is wrong with our answer; nil if the case holds.
    func complaint() -> String? {
        do {
            return try mistake()
        } catch {
            return "\(error)"
        }
    }

    private func mistake() throws -> String? {
        switch kind {
        case "eval": return try expect(try predicate().holds(for: object, substitutionVariables: bindings))
        case "filter": return try filterMistake()
        case "expr": return try expressionMistake()
        case "format": return differs(try predicate().predicateFormat, expected)
        case "format-subst":
            let substituted = try predicate().withSubstitutionVariables(bindings ?? [:])
            return differs(substituted.predicateFormat, expected)
        case "exprformat": return differs(try expression().description, expected)
        case "parses": return try predicate().predicateFormat.isEmpty ? "prints nothing" : nil
        case "parses-expr": return try expression().description.isEmpty ? "prints nothing" : nil
        case "throws-parse": return throwsMistake { _ = try predicate() }
        case "throws-parse-expr": return throwsMistake { _ = try expression() }
        case "throws-eval":
            let predicate = try predicate()
            return throwsMistake {
                _ = try predicate.holds(for: object, substitutionVariables: bindings)
            }
        case "throws-expr":
            let expression = try expression()
            return throwsMistake {
                _ = try expression.value(for: object, substitutionVariables: bindings)
            }
        case "equal": return try predicate() == other() ? nil : "differ"
        case "notequal": return try predicate() == other() ? "are equal" : nil
        case "logically-equivalent": return try equivalenceMistake()
        case "type": return TypeDescription.complaint(of: try predicate(), expected: expected)
        case "json":
            let found = try MapExpression.json(of: try predicate()) as NSArray
            return found == (try expectedValue() as? NSArray) ? nil : "is \(found)"
        default: return "there is no check for the kind \(kind)"
        }
    }

    private func predicate() throws -> NSPredicate {
        switch format {
        case "AND()": return NSCompoundPredicate(andPredicateWithSubpredicates: [])
        case "OR()": return NSCompoundPredicate(orPredicateWithSubpredicates: [])
        default: return try NSPredicate(validatingFormat: format, argumentArray: arguments)
        }
    }

    private func other() throws -> NSPredicate {
        try NSPredicate(validatingFormat: expected, argumentArray: arguments)
    }

    private func expression() throws -> NSExpression {
        try NSExpression(validatingFormat: format, argumentArray: arguments)
    }

    private func expect(_ found: Bool) throws -> String? {
        String(found) == expected ? nil : "is \(found)"
    }

    private func differs(_ found: String, _ expected: String) -> String? {
        found == expected ? nil : "prints \(found)"
    }

    private func throwsMistake(_ body: () throws -> Void) -> String? {
        do {
            try body()
            return "is no error"
        } catch {
            return nil
        }
    }

    private func filterMistake() throws -> String? {
        let predicate = try predicate()
        let objects = object as? [Any] ?? []
        let found = try objects.filter {
            try predicate.holds(for: $0, substitutionVariables: bindings)
        }
        let expected = try expectedValue() as? [Any] ?? []
        return (found as NSArray) == (expected as NSArray) ? nil : "finds \(found)"
    }

    private func expressionMistake() throws -> String? {
        let found = try expression().value(for: object, substitutionVariables: bindings)
        let wanted = NSExpression(forConstantValue: try expectedValue())
        if let found = found as? NSNumber, let wanted = wanted.constantValue as? NSNumber {
            return abs(found.doubleValue - wanted.doubleValue) < 1e-9 ? nil : "is \(found)"
        }
        return NSExpression(forConstantValue: found) == wanted ? nil : "is \(found ?? "nil")"
    }

    /// Compares the two formats over all assignments of 1, 2, 3 … to their keys, where there are few, else over some.
    private func equivalenceMistake() throws -> String? {
        let (first, second) = (try predicate(), try other())
        let keys = Set(format.filter { $0.isUppercase && "ABCDEFGHX".contains($0) }.map(String.init)).sorted()
        var values = [Int](repeating: 1, count: keys.count)
        let valueMax = keys.count > 4 ? 2 : 6
        while true {
            let object = Dictionary(uniqueKeysWithValues: zip(keys, values))
            if try first.holds(for: object) != second.holds(for: object) { return "differ at \(object)" }
            guard let place = values.firstIndex(where: { $0 < valueMax }) else { return nil }
            values[place] += 1
            for index in 0..<place { values[index] = 1 }
        }
    }
}
