import SwiftTokens

extension Porter {
    /// `#keyPath(Order.customer.name)` becomes its text, and a closure that is never called has the compiler check it.
    mutating func portKeyPath(at index: Int) {
        guard source.isSign("(", at: index + 1) else { return }
        let close = source.close(of: index + 1)
        portPath((index + 2)..<close, in: index...close)
    }

    /// `NSStringFromSelector(#selector(getter: Order.name))` is such a text too.
    mutating func portSelectorName(at index: Int) {
        guard source.isSign("(", at: index + 1), source.text(at: index + 2) == "#selector",
            source.isSign("(", at: index + 3), source.isWord("getter", at: index + 4),
            source.isSign(":", at: index + 5)
        else { return }
        portPath((index + 6)..<source.close(of: index + 3), in: index...source.close(of: index + 1))
    }

    private mutating func portPath(_ path: Range<Int>, in tokens: ClosedRange<Int>) {
        let words = path.filter { source.isWord(at: $0) }
        let root = words.prefix { source.text(at: $0).first?.isUppercase == true }
        let steps = words.dropFirst(root.count)
        guard let first = steps.first else { return }
        let text = "\"" + steps.map { source.text(at: $0) }.joined(separator: ".") + "\""
        var type = root.isEmpty ? outline.type(around: tokens.lowerBound)?.name : nil
        if let start = root.first { type = source.text(of: source.range(of: start...(first - 2))) }
        let range = source.range(of: tokens)
        // The line breaks of a path follow it, so that the next lines keep their numbers.
        let breaks = String(repeating: "\n", count: source.lineCount(in: range))
        report(.keyPath, at: tokens.lowerBound, source.text(of: range))
        guard let type = type.map(portedName) else { return replace(range, with: text + breaks, applied: .text(text)) }
        support.insert(.keyPath)
        let names = steps.map { source.text(of: source.tokens[$0].range) }
        let value = names.dropFirst().reduce("$0.\(names[0])") { "_portedStep(\($0)).\($1)" }
        let call = "_portedKeyPath(\(type).self, { _ = \(value) }, \(text))"
        replace(range, with: call + breaks, applied: .text(text))
    }

    /// `Bundle(for: Stack.self)`: a framework's bundle on Apple's systems, the target's here.
    mutating func portBundle(at place: Int) {
        portBundleIdentifier(at: place)
        portMainBundle(at: place)
        let isNamed = source.isSign(".", at: place + 1) && source.isWord("init", at: place + 2)
        let open = isNamed ? place + 3 : place + 1
        guard index.modules.contains(PortIndex.bundle) == true, source.isSign("(", at: open),
            source.isWord("for", at: open + 1), source.isSign(":", at: open + 2), !source.isSign(".", at: place - 1)
        else { return }
        let tokens = place...source.close(of: open)
        report(.bundle, at: place, source.text(of: source.range(of: tokens)))
        replace(source.range(of: tokens), with: "Bundle.module", applied: .omitted)
    }

    mutating func portCast(at index: Int) {
        let mark = source.text(at: index + 1)
        if mark == "!" || mark == "?", source.isWord("NSFetchRequest", at: index + 2) {
            guard source.isSign("<", at: index + 3) else { return }
            let close = source.close(of: index + 3)
            report(.requestCast, at: index, source.text(of: source.range(of: index...close)))
            replace(source.range(of: index...(index + 1)), with: mark == "!" ? "~~>!" : "~~>")
            insert(".self", after: source.tokens[close].range)
            support.insert(.requestCast)
        } else if source.isWord("NSObject", at: index + 1), !source.isSign("?", at: index + 2),
            !source.isSign(".", at: index + 2), !isPattern(index)
        {
            report(.objectCast, at: index, "as NSObject")
            replace(source.tokens[index].range, with: "~~~>")
            insert(".self", after: source.tokens[index + 1].range)
            support.insert(.objectCast)
        } else if source.isWord("NSFetchRequest", at: index + 1), isPattern(index) {
            report(.castPattern, at: index, "as NSFetchRequest")
        }
    }

    /// Whether `as` belongs to `case let request as NSFetchRequest<Order>:`.
    private func isPattern(_ index: Int) -> Bool {
        source.isWord(at: index - 1) && ["let", "var"].contains(source.text(at: index - 2))
    }

    /// `[a, b] as NSSet` and `let members: NSSet = [a, b]`.
    mutating func portSetInitializer(at index: Int) {
        let name = source.text(at: index)
        if source.isWord("as", at: index - 1), source.isSign("]", at: index - 2),
            let open = source.open(of: index - 2), isLiteral(open)
        {
            wrap(open, index - 2, name)
            blank((index - 1)...index, applied: .removed)
            report(.setLiteral, at: index, "[…] as \(name)")
        } else if source.isSign(":", at: index - 1) {
            let equals = source.isSign("?", at: index + 1) ? index + 2 : index + 1
            guard source.isSign("=", at: equals), source.isSign("[", at: equals + 1) else { return }
            let close = source.close(of: equals + 1)
            guard !source.isSign(".", at: close + 1), !source.isWord("as", at: close + 1) else { return }
            wrap(equals + 1, close, name)
            report(.setLiteral, at: index, "\(name) = […]")
        }
    }

    /// `order.items = [a, b]`, where all properties of the name are sets of Objective-C.
    mutating func portSetAssignment(at place: Int) {
        guard source.isSign("[", at: place + 1), source.isWord(at: place - 1), source.isSign(".", at: place - 2),
            let type = index.setProperties[source.text(at: place - 1)], !isOwnOther(source.text(at: place - 1), place)
        else { return }
        let close = source.close(of: place + 1)
        guard !source.isSign(".", at: close + 1), !source.isWord("as", at: close + 1),
            source.tokens.indices.contains(close + 1)
                ? source.tokens[close + 1].startsLine
                    || [";", "}"].contains(source.text(at: close + 1)) : true
        else { return }
        wrap(place + 1, close, type)
        report(.setLiteral, at: place, "\(source.text(at: place - 1)) = […]")
    }

    /// Whether `self` has a property of the name that is no set of Objective-C.
    private func isOwnOther(_ name: String, _ place: Int) -> Bool {
        guard source.isWord("self", at: place - 3), let type = outline.type(around: place) else { return false }
        return type.properties(source).contains {
            source.isWord(name, at: $0 + 1) && (source.setType(ofProperty: $0) ?? "").isEmpty
        }
    }

    private mutating func wrap(_ open: Int, _ close: Int, _ type: String) {
        insert("\(type)(array: ", before: source.tokens[open].range, applied: .same)
        insert(")", after: source.tokens[close].range, applied: .same)
    }

    /// Whether a bracket begins a literal: one right behind a value is a subscript's.
    private func isLiteral(_ open: Int) -> Bool {
        guard open > 0, source.tokens[open - 1].range.upperBound == source.tokens[open].range.lowerBound else {
            return true
        }
        return !source.isWord(at: open - 1) && ![")", "]", "}", "?", "!"].contains(source.text(at: open - 1))
    }

    /// `Order.superclass()` is a property here, and `Order.classForCoder()` the class itself.
    mutating func portClassMethod(at place: Int) {
        guard source.isSign(".", at: place - 1), source.isSign("(", at: place + 1), source.isSign(")", at: place + 2)
        else { return }
        let isParent = source.isWord("superclass", at: place)
        report(.classMethod, at: place, source.text(at: place) + "()")
        // Nothing is left in their place: a space would part a value from its '!'.
        replace(source.range(of: (isParent ? place + 1 : place - 1)...(place + 2)), with: "")
    }

    /// `bundle.urls(forResourcesWithExtension:subdirectory:)` has instances of `NSURL` here.
    mutating func portResourceList(at place: Int) {
        guard source.isSign(".", at: place - 1), source.isSign("(", at: place + 1),
            source.isWord("forResourcesWithExtension", at: place + 2)
        else { return }
        report(.resourceList, at: place, "urls(forResourcesWithExtension:)")
        replace(source.tokens[place].range, with: "portedURLs")
        support.insert(.resourceList)
    }

    /// `os.Logger`, where `Logger` may be the target's own, and other names of the module.
    mutating func portLogName(at place: Int) {
        guard source.isSign(".", at: place + 1), !source.isSign(".", at: place - 1),
            let shim = PortSupport(word: source.text(at: place + 2), source, place + 2)
        else { return }
        report(.qualifiedName, at: place, "os." + source.text(at: place + 2))
        if shim != .logger { return blank(place...(place + 1)) }
        replace(source.range(of: place...(place + 2)), with: "PortedLogger")
        support.insert(.qualifiedLogger)
    }

    /// `ObjectiveC.autoreleasepool` is found in Core Data here, and `ObjectiveC.NSObject` in Foundation.
    mutating func portRuntimeName(at place: Int) {
        guard source.isSign(".", at: place + 1), !source.isSign(".", at: place - 1),
            !source.isWord("import", at: place - 1), !source.isWord("import", at: place - 2),
            let module = Modules.needed(for: source.text(at: place + 2))
        else { return }
        report(.qualifiedName, at: place, "ObjectiveC." + source.text(at: place + 2))
        replace(source.tokens[place].range, with: module)
    }

    /// `Foundation.ValueTransformer` is Core Data's here.
    mutating func portQualifiedName(at place: Int) {
        guard source.isSign(".", at: place + 1), !source.isSign(".", at: place - 1),
            Modules.needed(for: source.text(at: place + 2)) == "CoreData",
            !source.isWord("import", at: place - 1), !source.isWord("import", at: place - 2)
        else { return }
        report(.qualifiedName, at: place, "Foundation." + source.text(at: place + 2))
        blank(place...(place + 1), applied: .text(""))
    }
}
