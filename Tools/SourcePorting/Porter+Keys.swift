extension Porter {
    /// Finds the `@objc` properties, which Objective-C reads by their names.
    mutating func findKeys() {
        for type in outline.types where ["class", "extension"].contains(type.keyword) && !type.name.contains(".") {
            let words = (type.start..<type.keywordIndex).map { source.text(at: $0) }
            guard !words.contains("MainActor"), !type.isExtension || type.privateIndex == nil else { continue }
            var place = type.open + 1
            while place < type.close {
                if source.isWord("var", at: place), isKey(place, isListed: words.contains("objcMembers")) {
                    keys[type.name, default: []].append(source.text(at: place + 1))
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
}
