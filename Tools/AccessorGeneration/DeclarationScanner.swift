import SwiftTokens

/// Finds types, imports and `@NSManaged` members in one file.
///
/// It follows braces: what stands in a type's or an extension's own braces is a member; what stands deeper, in a body,
/// is passed over.
struct DeclarationScanner {
    private struct Scope {
        /// Nil for a body.
        var path: [String]?
        var isExtension = false
        var access: ManagedMember.Access?
    }

    private let tokens: [Token]
    private let module: String
    private var file: ScannedFile
    private var position = 0
    private var scopes: [Scope] = []
    private var isManaged = false
    private var isTestable = false
    private var access: ManagedMember.Access?

    static func scan(_ text: String, path: String, module: String) throws -> ScannedFile {
        let tokens = Conditions.activeTokens(Lexer.tokens(of: text))
        var scanner = DeclarationScanner(
            tokens: tokens, module: module, file: ScannedFile(path: path))
        try scanner.run()
        return scanner.file
    }

    private init(tokens: [Token], module: String, file: ScannedFile) {
        self.tokens = tokens
        self.module = module
        self.file = file
    }

    private var isInType: Bool { scopes.last.map { $0.path != nil } ?? true }
    private var path: [String] { scopes.last?.path ?? [] }
    private func text(_ offset: Int = 0) -> String {
        position + offset < tokens.count ? tokens[position + offset].text : ""
    }
    private func isWord(_ offset: Int) -> Bool {
        position + offset < tokens.count && tokens[position + offset].kind == .word
    }

    private mutating func run() throws {
        while position < tokens.count {
            switch tokens[position].keyword {
            case "{":
                scopes.append(Scope(path: nil))
                endDeclaration()
            case "}":
                _ = scopes.popLast()
                endDeclaration()
            case "@" where text(1) == "NSManaged":
                guard isInType else {
                    throw SourceError(
                        file: file.path, line: tokens[position].line,
                        message: "a class inside a function cannot have @NSManaged members, as no other file can "
                            + "name it: move it out of the function")
                }
                isManaged = true
                position += 1
            case "@" where text(1) == "testable":
                isTestable = true
                position += 1
            case "private", "fileprivate", "internal", "package", "public", "open": modifier()
            case "import" where scopes.isEmpty: importing()
            case "class", "struct", "enum", "actor", "protocol", "extension":
                if isInType, startsType { try type() } else { position += 1 }
                continue
            case "typealias" where isInType: alias()
            case "var" where isInType:
                try property()
                continue
            case "func" where isInType:
                try method()
                continue
            case "let", "init", "subscript", "case", "deinit": endDeclaration()
            default: break
            }
            position += 1
        }
    }

    private mutating func endDeclaration() {
        isManaged = false
        access = nil
    }

    /// `private(set)` says nothing of the getter.
    private mutating func modifier() {
        if text(1) == "(" {
            position += 3
        } else {
            access = text() == "open" ? .public : ManagedMember.Access(rawValue: text())
        }
    }

    private mutating func importing() {
        guard isWord(1) else { return }
        let kinds: Set<String> = ["class", "struct", "enum", "protocol", "func", "var", "let", "typealias"]
        // The kind in `import struct Library.Shelf` begins no declaration.
        if kinds.contains(text(1)) { position += 1 }
        file.imports.append(.init(access: access?.rawValue ?? "", module: text(1), isTestable: isTestable))
        access = nil
        isTestable = false
    }

    /// `class` is also a modifier: of `func`, `var`, `subscript`, `override`; or a constraint, `: class {`. All of them
    /// may be members and labels.
    private var startsType: Bool {
        let modifiers: Set<String> = [
            "func", "var", "let", "subscript", "override", "final", "public", "private", "internal", "fileprivate",
            "open", "package", "dynamic", "nonisolated",
        ]
        let isName = position > 0 && [".", "(", ","].contains(tokens[position - 1].keyword)
        return isWord(1) && !modifiers.contains(text(1)) && !isName
    }

    private mutating func type() throws {
        let keyword = text()
        let declaredAccess = access
        position += 1
        var name = [text()]
        position += 1
        while text() == ".", isWord(1) {
            name.append(text(1))
            position += 2
        }
        var superclass: [String]?
        if text() == ":" {
            var parser = TypeParser(tokens, at: position + 1)
            if case .named(let path, _)? = parser.type() { superclass = path }
        }
        while position < tokens.count, text() != "{" { position += 1 }
        position += 1
        let isExtension = keyword == "extension"
        let full = isExtension ? name : path + name
        let kinds: [String: TypeDeclaration.Kind] = [
            "class": .class, "actor": .class, "struct": .struct, "enum": .enum, "protocol": .protocol,
        ]
        if let kind = kinds[keyword] {
            file.types.append(
                TypeDeclaration(kind: kind, module: module, path: full, superclass: superclass))
            if declaredAccess == .private || declaredAccess == .fileprivate {
                file.privateTypes.insert(full)
            }
        }
        endDeclaration()
        // The access of an extension is its members'; that of a type is not, but bounds it.
        scopes.append(
            Scope(path: full, isExtension: isExtension, access: isExtension ? declaredAccess : nil))
    }

    private mutating func alias() {
        guard isWord(1), text(2) == "=" else { return }
        var parser = TypeParser(tokens, at: position + 3)
        guard let type = parser.type() else { return }
        file.types.append(
            TypeDeclaration(kind: .alias(type), module: module, path: path + [text(1)]))
        endDeclaration()
    }

    private func member(_ name: String, _ form: ManagedMember.Form, line: Int) -> ManagedMember {
        ManagedMember(
            name: name, form: form, access: access ?? scopes.last?.access ?? .internal, path: path,
            isInExtension: scopes.last?.isExtension ?? false, file: file.path, line: line)
    }

    private mutating func property() throws {
        defer { endDeclaration() }
        position += 1
        guard isManaged else { return }
        repeat {
            let line = tokens[min(position, tokens.count - 1)].line
            let name = text()
            guard isWord(0), text(1) == ":" else {
                throw SourceError(
                    file: file.path, line: line,
                    message: "an @NSManaged property needs a written type: '@NSManaged var \(name): …'")
            }
            let start = position + 2
            var parser = TypeParser(tokens, at: start)
            guard let type = parser.type() else {
                throw SourceError(
                    file: file.path, line: line,
                    message: "cannot read the type of '\(name)': write it as a name, an optional, an array or a "
                        + "dictionary")
            }
            position = parser.position
            let text = TypeParser.text(tokens[start..<position])
            file.members.append(member(name, .property(type, text: text), line: line))
        } while consumeComma()
    }

    private mutating func consumeComma() -> Bool {
        guard text() == "," else { return false }
        position += 1
        return true
    }

    private mutating func method() throws {
        defer { endDeclaration() }
        position += 1
        guard isManaged, isWord(0) else { return }
        let name = text()
        let line = tokens[position].line
        position += 1
        guard text() == "(" else { throw unreadable(name, line) }
        position += 1
        var parameters: [ManagedMember.Parameter] = []
        while text() != ")" {
            guard isWord(0) else { throw unreadable(name, line) }
            let label = text()
            let inner = text(1) == ":" ? label : text(1)
            position += text(1) == ":" ? 2 : 3
            var parser = TypeParser(tokens, at: position)
            guard let type = parser.type() else { throw unreadable(name, line) }
            let typeText = TypeParser.text(tokens[position..<parser.position])
            position = parser.position
            parameters.append(.init(label: label, name: inner, type: type, typeText: typeText))
            if text() == "," { position += 1 }
        }
        position += 1
        guard text() != "->", text() != "throws", text() != "async" else { throw unreadable(name, line) }
        file.members.append(member(name, .method(parameters), line: line))
    }

    private func unreadable(_ name: String, _ line: Int) -> SourceError {
        SourceError(
            file: file.path, line: line,
            message: "'@NSManaged func \(name)' is no accessor of a to-many relationship: "
                + "only methods like addTo…(_:) and removeFrom…(_:), without a result, are made by Core Data")
    }
}
