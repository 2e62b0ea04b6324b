import SwiftTokens

extension Porter {
    private static let attributes: Set<String> = [
        "objc", "objcMembers", "nonobjc", "IBOutlet", "IBAction", "IBInspectable", "IBDesignable", "IBSegueAction",
        "NSCopying", "GKInspectable",
    ]

    mutating func portAttribute(at index: Int) {
        let name = source.text(at: index + 1)
        guard source.isWord(at: index + 1), Self.attributes.contains(name) else { return }
        var end = index + 1
        if source.isSign("(", at: index + 2) {
            end = source.close(of: index + 2)
            portName(index + 2, end)
        }
        blank(index...end, applied: name == "nonobjc" ? .omitted : .attribute)
        report(.attribute, at: index, source.text(of: source.range(of: index...end)))
    }

    /// `@objc(Name)`: of a class, models know it by this name; of a property, key-value coding does.
    private mutating func portName(_ open: Int, _ close: Int) {
        guard close == open + 2, source.isWord(at: open + 1) else { return }
        let name = source.text(at: open + 1)
        let declaration = source.tokens[(close + 1)...].prefix(16)
        guard let keyword = declaration.firstIndex(where: { $0.kind == .word && Self.keywords.contains($0.text) }),
            !(source.text(at: keyword) == "class" && SourceText.isModifier(source.text(at: keyword + 1)))
        else { return }
        let declared = source.text(at: keyword + 1)
        guard declared != name else { return }
        switch source.text(at: keyword) {
        case "class":
            guard let type = outline.types.first(where: { $0.keywordIndex == keyword }), !isHidden(type.name)
            else { return }
            classNames[name] = portedName(type.name)
            report(.className, at: open, "@objc(\(name)) class \(declared)")
        case "var": report(.memberName, at: open, "@objc(\(name)) var \(declared)")
        default: break
        }
    }

    /// Whether other files of the copy cannot name a type.
    private func isHidden(_ name: String) -> Bool {
        outline.types.contains {
            $0.privateIndex != nil && index.exposed[source.path]?[$0.name] == nil && "\(name).".hasPrefix("\($0.name).")
        }
    }

    private static let keywords: Set<String> = ["class", "var", "let", "func", "enum", "protocol", "init", "extension"]

    /// `dynamic` before a declaration is a modifier, and a name elsewhere.
    mutating func portDynamic(at index: Int) {
        guard source.isModifier(at: index) else { return }
        blank(index...index, applied: .omitted)
        report(.dynamic, at: index, "dynamic")
    }

    mutating func portTypes() {
        for type in outline.types {
            let modifiers = type.start..<type.keywordIndex
            if type.keyword == "protocol", modifiers.contains(where: { source.isWord("objc", at: $0) }) {
                portProtocol(type)
            }
            if let access = type.privateIndex, index.exposed[source.path]?[type.name] != nil {
                blank(access...access, applied: .removed)
                report(.privateClass, at: access, "\(source.text(at: access)) \(type.keyword) \(type.name)")
            }
        }
        portRenamed()
    }

    /// A type with a name that another file's type has too gets a name of its own where it is exposed.
    private mutating func portRenamed() {
        let renamed = (index.exposed[source.path] ?? [:]).filter { $0.key != $0.value }
        for (name, newName) in renamed {
            guard let type = outline.types.first(where: { $0.name == name && !$0.isExtension }),
                let word = newName.split(separator: ".").last
            else { continue }
            report(.renamedType, at: type.keywordIndex, "\(type.keyword) \(name), here \(newName)")
            for place in source.tokens.indices
            where source.isWord(type.bareName, at: place)
                && (!source.isSign(".", at: place - 1) || name.contains("."))
            { replace(source.tokens[place].range, with: String(word), applied: .same) }
        }
    }

    /// The name that a type has in the copy.
    func portedName(_ name: String) -> String { index.portedName(name, in: source.path) }

    /// A protocol of Objective-C is one of classes.
    private mutating func portProtocol(_ type: Outline.TypeBody) {
        let name = type.keywordIndex + 1
        guard Set(type.inherited).isDisjoint(with: ["AnyObject", "NSObjectProtocol", "class"]) else { return }
        insert(
            source.isSign(":", at: name + 1) ? " AnyObject," : ": AnyObject",
            after: source.tokens[source.isSign(":", at: name + 1) ? name + 1 : name].range, applied: .same)
        report(.objectiveCProtocol, at: name, "@objc protocol \(type.name)")
    }
}
