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
        blank(index...end)
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
            guard let type = outline.types.first(where: { $0.keywordIndex == keyword }) else { return }
            classNames[name] = type.name
            report(.className, at: open, "@objc(\(name)) class \(declared)")
        case "var": report(.memberName, at: open, "@objc(\(name)) var \(declared)")
        default: break
        }
    }

    private static let keywords: Set<String> = ["class", "var", "let", "func", "enum", "protocol", "init", "extension"]

    /// `dynamic` before a declaration is a modifier, and a name elsewhere.
    mutating func portDynamic(at index: Int) {
        let next = source.text(at: index + 1)
        let isModifier =
            ["var", "func", "let", "class", "subscript", "init", "@"].contains(next)
            || source.isWord(at: index + 1) && SourceText.isModifier(next)
        guard isModifier, !source.isSign(".", at: index - 1) else { return }
        blank(index...index)
        report(.dynamic, at: index, "dynamic")
    }

    mutating func portTypes() {
        for type in outline.types {
            let modifiers = type.start..<type.keywordIndex
            if type.keyword == "protocol", modifiers.contains(where: { source.isWord("objc", at: $0) }) {
                portProtocol(type)
            }
            guard type.keyword == "class", isManaged(type),
                let access = modifiers.first(where: {
                    source.isWord("private", at: $0) || source.isWord("fileprivate", at: $0)
                })
            else { continue }
            privateClasses.append(type.name)
            if index?.privateTwice.contains(type.name) == true {
                report(.privateTwice, at: access, "class \(type.name)")
            } else {
                blank(access...access)
                report(.privateClass, at: access, "\(source.text(at: access)) class \(type.name)")
            }
        }
    }

    /// Whether a class, or one of the file that inherits from it, has `@NSManaged` members.
    private func isManaged(_ type: Outline.TypeBody) -> Bool {
        outline.types.contains { $0.hasManagedMembers && ($0.name == type.name || $0.inherited.first == type.name) }
    }

    /// A protocol of Objective-C is one of classes.
    private mutating func portProtocol(_ type: Outline.TypeBody) {
        let name = type.keywordIndex + 1
        guard !type.inherited.contains("AnyObject"), !type.inherited.contains("NSObjectProtocol") else { return }
        insert(
            source.isSign(":", at: name + 1) ? " AnyObject," : ": AnyObject",
            after: source.tokens[source.isSign(":", at: name + 1) ? name + 1 : name].range)
        report(.objectiveCProtocol, at: name, "@objc protocol \(type.name)")
    }
}
