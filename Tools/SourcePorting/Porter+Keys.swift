extension Porter {
    /// Finds the `@objc` properties, which Objective-C reads by their names, and methods that check the value of one.
    mutating func findKeys() {
        for type in outline.types where ["class", "extension"].contains(type.keyword) && !type.name.contains(".") {
            let words = (type.start..<type.keywordIndex).map { source.text(at: $0) }
            guard !words.contains("MainActor"), !type.isExtension || type.privateIndex == nil else { continue }
            var place = type.open + 1
            while place < type.close {
                let isProperty = source.isWord("var", at: place) || source.isWord("let", at: place)
                if isProperty, isKey(place, isListed: words.contains("objcMembers")) {
                    keys[type.name, default: []].append(source.text(at: place + 1))
                }
                if source.isWord("func", at: place),
                    let key = checkedKey(place, isListed: words.contains("objcMembers"))
                {
                    checks[type.name, default: []].append(key)
                }
                place = (source.isSign("{", at: place) ? source.close(of: place) : place) + 1
            }
        }
    }

    /// Whether a property of a type's body is known to Objective-C, and other files see it.
    private func isKey(_ place: Int, isListed: Bool) -> Bool {
        let modifiers = Array(source.declarationStart(place)..<place)
        let words = Set(modifiers.map { source.text(at: $0) })
        let isHidden = modifiers.contains { index in
            ["private", "fileprivate"].contains(source.text(at: index)) && !source.isSign("(", at: index + 1)
        }
        guard !isHidden, source.isSign(":", at: place + 2) || source.isSign("=", at: place + 2) else { return false }
        return words.isDisjoint(with: ["static", "class", "NSManaged", "MainActor", "nonobjc"])
            && (isListed || words.contains("objc"))
    }

    /// The key of `func validate<Key>(_ value: AutoreleasingUnsafeMutablePointer<AnyObject?>) throws`, with a capital;
    /// "Value" of the method that calls them.
    private func checkedKey(_ place: Int, isListed: Bool) -> String? {
        let words = (source.declarationStart(place)..<place).map { source.text(at: $0) }
        guard source.text(at: place + 1).hasPrefix("validate"), source.isSign("(", at: place + 2) else { return nil }
        let key = String(source.text(at: place + 1).dropFirst("validate".count))
        if key == "Value" { return key }
        let pointer = (place + 2..<source.close(of: place + 2)).contains {
            source.text(at: $0).hasSuffix("UnsafeMutablePointer")
        }
        let isKnown =
            Set(words).isDisjoint(with: ["static", "class", "nonobjc"]) && (isListed || words.contains("objc"))
        return pointer && isKnown && !key.isEmpty && labels(of: place + 2) == ["_"] ? key : nil
    }

    /// Whether a pointer to a value is a parameter of a method that is called.
    func isChecked(_ place: Int) -> Bool {
        guard let opening = callOpening(around: place), let type = outline.type(around: place) else { return false }
        let name = source.text(at: opening - 1)
        return name == "validateValue"
            || index.moved.contains { $0.type == portedName(type.name) && $0.text.contains("try \(name)(") }
    }
}

extension PortIndex.Moved {
    /// Calls the methods that check values, which Core Data finds by their names on Apple's systems.
    init(checking keys: [String], of type: String, file: String) {
        let cases = keys.map { "case \"\($0)\": try validate\($0)(value); " }.joined()
        let text =
            "public override func validateValue(_ value: UnsafeMutablePointer<AnyObject?>, forKey key: String) throws "
            + "{ try super.validateValue(value, forKey: key); "
            + "switch key.prefix(1).uppercased() + key.dropFirst() { \(cases)default: break } }"
        self.init(
            type: type, file: file, line: 1, text: text,
            source: "\n#if !canImport(ObjectiveC)\n    \(text)\n#endif\n", imports: [])
    }
}
