import SwiftTokens

extension Porter {
    /// Swift overrides in extensions only what Objective-C knows: the members are compiled in the class.
    mutating func portOverrides() {
        for override in outline.overrides {
            let type = outline.types[override.type]
            let start = override.tokens.lowerBound
            let range = source.range(of: override.tokens)
            let words = source.text(of: range).prefix { !$0.isNewline && $0 != "{" }
            let text = "extension \(type.name): " + words
            if !isIndexing, !index.homes.contains(portedName(type.name)) {
                report(.overrideElsewhere, at: start, text)
                continue
            }
            report(.override, at: start, text)
            let (access, ported) = (access(override.tokens, type), render(range, edits))
            let own = ownText(range)
            moved.append(
                PortIndex.Moved(
                    type: portedName(type.name), file: source.path, line: source.tokens[start].line,
                    text: access + ported, source: own.map { access + $0 }, imports: imports))
            let breaks = String(repeating: "\n", count: source.lineCount(in: range))
            replace(range, with: breaks, applied: own == nil ? .omitted : .removed)
        }
        for guest in guests {
            guard let type = outline.types.first(where: { !$0.isExtension && portedName($0.name) == guest.type }) else {
                continue
            }
            let brace = source.tokens[type.close]
            insert(
                "\n\(location(line: guest.line, file: guest.file))\n\(guest.text)\n\(location(line: brace.line))\n",
                before: brace.range, applied: guest.source.map { .text("\n    \($0)\n") } ?? .omitted)
        }
    }

    /// The words of a member as they are in its class in the source; nil if some of them are others on Linux. What
    /// overrides a member of Objective-C needs no attribute.
    private func ownText(_ range: Range<Int>) -> String? {
        let before = source.text(of: 0..<range.lowerBound).trimmingPrefix { $0.isNewline }
        guard before.split(separator: "\n").last(where: { !$0.allSatisfy(\.isWhitespace) })?.contains("#endif") != true
        else { return nil }
        var kept: [Edit] = []
        for edit in edits where range.lowerBound <= edit.range.lowerBound && edit.range.upperBound <= range.upperBound {
            switch edit.applied {
            case .omitted: break
            case .same: kept.append(edit)
            case .text(let text): kept.append(Edit(range: edit.range, text: text))
            case .removed: kept.append(Edit(range: edit.range, text: ""))
            case .attribute where !source.text(of: edit.range).contains("("):
                let end = source.bytes[edit.range.upperBound...].firstIndex { ![0x20, 0x0A, 0x09].contains($0) }
                kept.append(Edit(range: edit.range.lowerBound..<(end ?? edit.range.upperBound), text: ""))
            case .attribute, .guarded: return nil
            }
        }
        return render(range, kept)
    }

    /// The access that a member has from its extension.
    private func access(_ member: ClosedRange<Int>, _ type: Outline.TypeBody) -> String {
        let words = ["public", "open", "package", "internal", "fileprivate", "private"]
        let own = member.prefix { !["func", "var", "init", "subscript"].contains(source.text(at: $0)) }
        if own.contains(where: { words.contains(source.text(at: $0)) }) { return "" }
        let outer = (type.start..<type.keywordIndex).map { source.text(at: $0) }.first { words.contains($0) }
        return outer.map { $0 + " " } ?? ""
    }

    /// The initializers that are required here, and are not on Apple's systems, by the class that has them.
    private static let requiredInitializers = [
        "NSPersistentContainer": ["name", "managedObjectModel"],
        "NSAtomicStore": ["persistentStoreCoordinator", "configurationName", "at", "options"],
        "NSIncrementalStore": ["persistentStoreCoordinator", "configurationName", "at", "options"],
        "NotificationCenter": [],
    ]

    /// The initializers that a class repeats, by its parent, if it has designated ones and not this one.
    private static let repeatedInitializers = [
        "NSPersistentContainer": "init(name: String, managedObjectModel: NSManagedObjectModel)",
        "NotificationCenter": "init()",
    ]

    /// The labels of the parameters in the parentheses at `open`.
    func labels(of open: Int) -> [String] {
        var labels: [String] = []
        var place = open + 1
        let close = source.close(of: open)
        while place < close {
            if source.isSign("(", at: place - 1) || source.isSign(",", at: place - 1) {
                labels.append(source.text(at: place))
            }
            let isOpening = ["(", "[", "<", "{"].contains { source.isSign($0, at: place) }
            place = (isOpening ? source.close(of: place) : place) + 1
        }
        return labels
    }

    /// `override init(name:managedObjectModel:)` of a container is required, and a class with initializers of its own
    /// repeats it.
    mutating func portInitializers() {
        for type in outline.types where type.keyword == "class" {
            guard var parent = type.parent else { continue }
            if index.containers.contains(parent) { parent = "NSPersistentContainer" }
            guard let labels = Self.requiredInitializers[parent] else { continue }
            let initializers = (type.open..<type.close).filter { place in
                source.isWord("init", at: place) && source.isSign("(", at: place + 1)
                    && !source.isSign(".", at: place - 1) && outline.type(around: place)?.open == type.open
            }
            let designated = initializers.filter { place in
                !(source.declarationStart(place)..<place).contains { source.isWord("convenience", at: $0) }
            }
            let own = designated.first { self.labels(of: $0 + 1) == labels }
            let isPublic = (type.start..<type.keywordIndex).contains {
                ["public", "open"].contains(source.text(at: $0))
            }
            if let own {
                for place in source.declarationStart(own)..<own
                where ["private", "fileprivate"].contains(source.text(at: place)) {
                    let access = isPublic ? "public" : "internal"
                    replace(source.tokens[place].range, with: access, applied: .text(access))
                }
                let place = (source.declarationStart(own)..<own).first { source.isWord("override", at: $0) }
                guard let place else { continue }
                replace(source.tokens[place].range, with: "required", applied: .text("required override"))
                report(.requiredInitializer, at: place, "override init(\(labels.first.map { $0 + ":…" } ?? ""))")
            } else if let repeated = Self.repeatedInitializers[parent], let first = designated.first {
                let access = isPublic ? "public " : ""
                let body = "{ fatalError(\"\(type.name) has initializers of its own\") }"
                var text = "\(access)required \(repeated) \(body)"
                // A container that repeats the initializer inherits this one, which is no more meant than there.
                let isContainer = parent == "NSPersistentContainer"
                if isContainer, !initializers.contains(where: { self.labels(of: $0 + 1) == ["name"] }) {
                    text += "; @available(*, unavailable) \(access)convenience init(name: String) \(body)"
                }
                insert(
                    " \(text) ", before: source.tokens[type.close].range,
                    applied: .text("\n#if !canImport(ObjectiveC)\n\(text)\n#endif\n"))
                report(.requiredInitializer, at: first, "class \(type.name): \(parent)")
            }
        }
    }
}
