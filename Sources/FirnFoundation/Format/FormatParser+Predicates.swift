import Foundation

extension FormatParser {
    mutating func parseOr() throws(PredicateFormatError) -> Piece {
        try enter()
        defer { depth -= 1 }
        return try parseChain(.or) { (parser) throws(PredicateFormatError) in
            try parser.parseChain(.and) { (parser) throws(PredicateFormatError) in
                try parser.parseNot()
            }
        }
    }

    /// Members joined by `AND` or by `OR`: flat, however many.
    private mutating func parseChain(
        _ type: NSCompoundPredicate.LogicalType,
        member: (inout FormatParser) throws(PredicateFormatError) -> Piece
    ) throws(PredicateFormatError) -> Piece {
        let start = current
        let first = try member(&self)
        guard atJoint(type) else { return first }
        guard case .predicate(let predicate) = first else {
            throw failure("expected a comparison before \(current.name)", at: start)
        }
        var members = [predicate]
        while atJoint(type) {
            let joint = current
            advance()
            let start = current
            guard case .predicate(let next) = try member(&self) else {
                throw failure("expected a comparison after \(joint.name)", at: start)
            }
            members.append(next)
        }
        return .predicate(NSCompoundPredicate(type: type, subpredicates: members))
    }

    private func atJoint(_ type: NSCompoundPredicate.LogicalType) -> Bool {
        type == .or ? word == "OR" || isSymbol("||") : word == "AND" || isSymbol("&&")
    }

    mutating func parseNot() throws(PredicateFormatError) -> Piece {
        let start = current
        if isSymbol("!") || (word == "NOT" && beginsOperand(ahead: 1)) {
            advance()
            try enter()
            defer { depth -= 1 }
            guard case .predicate(let predicate) = try parseNot() else {
                throw failure("expected a comparison after \(start.name)", at: start)
            }
            return .predicate(NSCompoundPredicate(notPredicateWithSubpredicate: predicate))
        }
        if let word, let modifier = Self.modifiers[word], beginsOperand(ahead: 1) {
            advance()
            let comparison = try parseModified(modifier, named: start)
            return .predicate(
                word == "NONE"
                    ? NSCompoundPredicate(notPredicateWithSubpredicate: comparison) : comparison)
        }
        return try parseComparison(modifier: .direct)
    }

    private static let modifiers: [String: NSComparisonPredicate.Modifier] = [
        "ANY": .any, "SOME": .any, "ALL": .all, "NONE": .any,
    ]

    /// Whether a modifier's word is one here, not a key of that name: `all == 3`.
    private func beginsOperand(ahead distance: Int) -> Bool {
        switch ahead(distance).kind {
        case .symbol(let symbol): ["(", "{", "-", "~", "!"].contains(symbol)
        case .identifier: !ReservedWords.operators.contains(word(ahead: distance) ?? "")
        case .end: false
        default: true
        }
    }

    private mutating func parseModified(
        _ modifier: NSComparisonPredicate.Modifier, named start: FormatToken
    ) throws(PredicateFormatError) -> NSPredicate {
        let place = current
        guard case .predicate(let predicate) = try parseComparison(modifier: modifier),
            let comparison = predicate as? NSComparisonPredicate
        else { throw failure("expected a comparison after \(start.name)", at: place) }
        guard comparison.comparisonPredicateModifier != modifier else { return comparison }
        return NSComparisonPredicate(
            leftExpression: comparison.leftExpression,
            rightExpression: comparison.rightExpression, modifier: modifier,
            type: comparison.predicateOperatorType, options: comparison.options)
    }

    private mutating func parseComparison(
        modifier: NSComparisonPredicate.Modifier
    ) throws(PredicateFormatError) -> Piece {
        let left = try parseOperators(above: 0)
        let sign = current
        guard case .expression(let expression) = left else { return left }
        var isNegated = false
        if word == "NOT", Self.words[self.word(ahead: 1) ?? ""] != nil {
            isNegated = true
            advance()
        }
        guard let comparator = acceptComparator() else { return left }
        let options = try parseOptions()
        let right = try self.expression("after \(sign.name)")
        let comparison = NSComparisonPredicate(
            leftExpression: expression, rightExpression: right, modifier: modifier,
            type: comparator, options: options)
        return .predicate(
            isNegated
                ? NSCompoundPredicate(notPredicateWithSubpredicate: comparison) : comparison)
    }

    private mutating func acceptComparator() -> NSComparisonPredicate.Operator? {
        let found: NSComparisonPredicate.Operator? =
            switch current.kind {
            case .symbol(let symbol): Self.symbols[symbol]
            case .identifier: word.flatMap { Self.words[$0] }
            default: nil
            }
        if found != nil { advance() }
        return found
    }

    private static let symbols: [String: NSComparisonPredicate.Operator] = [
        "=": .equalTo, "==": .equalTo, "!=": .notEqualTo, "<>": .notEqualTo, "<": .lessThan,
        "<=": .lessThanOrEqualTo, "=<": .lessThanOrEqualTo, ">": .greaterThan,
        ">=": .greaterThanOrEqualTo, "=>": .greaterThanOrEqualTo,
    ]

    private static let words: [String: NSComparisonPredicate.Operator] = [
        "IN": .in, "CONTAINS": .contains, "BEGINSWITH": .beginsWith, "ENDSWITH": .endsWith,
        "LIKE": .like, "MATCHES": .matches, "BETWEEN": .between, "TOKENMATCHES": .tokenMatches,
    ]

    /// Reads `[cd]`: letters of `c`, `d`, `n`, `l`.
    private mutating func parseOptions() throws(PredicateFormatError) -> NSComparisonPredicate.Options {
        guard isSymbol("["), case .identifier(let letters) = ahead(1).kind, isSymbol("]", ahead: 2)
        else {
            guard !isSymbol("[") else {
                throw failure("expected options of the letters c, d, n, l in brackets", at: current)
            }
            return []
        }
        var options: NSComparisonPredicate.Options = []
        for letter in letters.unicodeScalars {
            switch letter {
            case "c", "C": options.insert(.caseInsensitive)
            case "d", "D": options.insert(.diacriticInsensitive)
            case "n", "N": options.insert(.normalized)
            case "l", "L": options.insert(.localeSensitive)
            default:
                throw failure("there is no option '\(letter)'; there are c, d, n and l", at: ahead(1))
            }
        }
        position += 3
        return options
    }
}
