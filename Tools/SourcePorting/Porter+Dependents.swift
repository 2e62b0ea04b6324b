import SwiftTokens

extension Porter {
    /// The keys of an operation that Foundation on Linux follows, if it is called for each change.
    private static let operationKeys = ["isReady", "isExecuting", "isFinished"]
    private static let method = "keyPathsForValuesAffecting"

    /// `class func keyPathsForValuesAffectingIsFinished() -> Set<String> { ["state"] }`: on Apple's systems, a change
    /// of `state` is one of `isFinished`. Here the property says so to Foundation.
    mutating func portDependentKeys() {
        for type in outline.types where type.keyword == "class" {
            let places = outline.types.filter { $0.name == type.name }.flatMap { $0.open..<$0.close }
            let dependents = dependents(in: places, isOperation: type.parent == "Operation")
            guard !dependents.isEmpty else { continue }
            if places.contains(where: { source.isWord("portedDidChange", at: $0) }) {
                support.insert(.dependentKey)
                continue
            }
            for place in places {
                if source.isWord("dynamic", at: place), let variable = variable(after: place),
                    let keys = dependents[source.text(at: variable + 1)]
                {
                    portChanges(of: variable, Self.call(keys))
                } else if source.isWord("didChangeValue", at: place), source.isSign("(", at: place + 1) {
                    let close = source.close(of: place + 1)
                    guard let name = names(in: place..<close).first, let keys = dependents[name] else { continue }
                    let call = Self.call(keys)
                    insert("; " + call, after: source.tokens[close].range, applied: Self.own(call))
                    reportDependents(at: place, name)
                }
            }
            if type.parent == "Operation" { portDependentsMethod(in: places) }
        }
    }

    /// The keys of an operation that depend on a property, by its name.
    private func dependents(in places: [Int], isOperation: Bool) -> [String: Set<String>] {
        var result: [String: Set<String>] = [:]
        for place in places where source.isWord("func", at: place) {
            let name = source.text(at: place + 1)
            guard name.hasPrefix(Self.method), source.isSign("(", at: place + 2) else { continue }
            let key = name.dropFirst(Self.method.count)
            let isAny = key == "Value" && isOperation
            let keys = Self.operationKeys.filter { isAny || $0 == key.prefix(1).lowercased() + key.dropFirst() }
            let start = source.close(of: place + 2)
            guard !keys.isEmpty, let open = (start..<source.tokens.count).first(where: { source.isSign("{", at: $0) })
            else { continue }
            for name in names(in: open..<source.close(of: open)) where !Self.operationKeys.contains(name) {
                result[name, default: []].formUnion(keys)
            }
        }
        return result
    }

    /// The texts in a range of tokens, and the last names of key paths.
    private func names(in range: Range<Int>) -> [String] {
        range.compactMap { place in
            if source.tokens[place].kind == .literal { return source.text(at: place) }
            guard source.text(at: place) == "#keyPath" else { return nil }
            return source.text(at: source.close(of: place + 1) - 1)
        }
    }

    /// The `var` that a modifier belongs to.
    private func variable(after modifier: Int) -> Int? {
        var place = modifier + 1
        while SourceText.isModifier(source.text(at: place)) || source.isSign("@", at: place) {
            if source.isSign("@", at: place) { place += 1 }
            place = (source.isSign("(", at: place + 1) ? source.close(of: place + 1) : place) + 1
        }
        return source.isWord("var", at: place) ? place : nil
    }

    private mutating func portChanges(of variable: Int, _ call: String) {
        var last = variable + 1
        while last + 1 < source.tokens.count {
            let (next, token) = (last + 1, source.tokens[last + 1])
            if source.isSign("{", at: next), !source.isSign("=", at: last) {
                return portAccessors(of: variable, open: next, call)
            }
            let isContinued = token.kind == .punctuation && !["}", "@", ";"].contains(token.text)
            if token.startsLine || ["}", ";"].contains(token.text), !isContinued { break }
            last = ["(", "[", "{"].contains(token.text) ? source.close(of: next) : next
        }
        insert(" { didSet { \(call) } }", after: source.tokens[last].range)
        reportDependents(at: variable, source.text(at: variable + 1))
    }

    private mutating func portAccessors(of variable: Int, open: Int, _ call: String) {
        var (place, willSet) = (open + 1, false)
        let close = source.close(of: open)
        while place < close {
            if ["set", "didSet"].contains(source.text(at: place)),
                let brace = (place..<close).first(where: { source.isSign("{", at: $0) })
            {
                let statement = "defer { \(call) }"
                insert(" \(statement);", after: source.tokens[brace].range, applied: Self.own(statement))
                return reportDependents(at: variable, source.text(at: variable + 1))
            }
            if source.isWord("willSet", at: place) { willSet = true }
            place = (source.isSign("{", at: place) ? source.close(of: place) : place) + 1
        }
        if willSet {
            insert("; didSet { \(call) } ", before: source.tokens[close].range, applied: Self.own("didSet { \(call) }"))
            reportDependents(at: variable, source.text(at: variable + 1))
        }
    }

    /// NSObject has no `keyPathsForValuesAffectingValue(forKey:)` here.
    private mutating func portDependentsMethod(in places: [Int]) {
        for place in places where source.isWord(Self.method + "Value", at: place) {
            if source.isWord("func", at: place - 1) {
                let modifiers = source.declarationStart(place - 1)..<place
                guard let override = modifiers.first(where: { source.isWord("override", at: $0) }) else { continue }
                blank(override...override)
            } else if source.isWord("super", at: place - 2), source.isSign("(", at: place + 1) {
                replace(source.range(of: (place - 2)...source.close(of: place + 1)), with: "Set<String>()")
            }
        }
    }

    private static func call(_ keys: Set<String>) -> String {
        "portedDidChange(self, \(keys.sorted().map { "\"\($0)\"" }.joined(separator: ", ")))"
    }

    /// A statement of the source for Linux alone.
    private static func own(_ text: String) -> Edit.Applied { .text("\n#if !canImport(ObjectiveC)\n\(text)\n#endif\n") }

    private mutating func reportDependents(at place: Int, _ name: String) {
        support.insert(.dependentKey)
        report(.dependentKey, at: place, name)
    }
}

extension PortSupport {
    static let dependentKeyText = """
        /// Has an operation's queue look at keys that have changed with another one.
        func portedDidChange(_ object: AnyObject, _ keys: String...) {
            guard let operation = object as? Operation else { return }
            for key in keys { operation.didChangeValue(forKey: key) }
        }

        """
}
