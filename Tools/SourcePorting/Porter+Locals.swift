import SwiftTokens

extension Porter {
    /// No other file can name a class inside a function, and so none can give it the bodies of `@NSManaged`. Such
    /// classes are compiled in an enumeration of the type around the function, and the function names them.
    ///
    ///     func testTitle() {                          func testTitle() {
    ///         class Note: NSManagedObject { … }   ▶       typealias Note = Tests.PortedLocal12.Note
    ///     }                                           }
    ///                                                 extension Tests { enum PortedLocal12 { class Note … } }
    mutating func portLocals() {
        for scope in Set(outline.locals.map(\.scope)).sorted() {
            let locals = outline.locals.filter { $0.scope == scope }
            let owner = locals[0].owner.map { portedName(outline.types[$0].name) }
            let space = "PortedLocal\(source.tokens[scope].line)"
            let path = (owner.map { $0 + "." } ?? "") + space
            var members = ""
            for local in locals.map(\.body) {
                let range = source.range(of: local.start...local.close)
                let line = source.tokens[local.start].line
                members += "\n\(location(line: line))\n\(render(range, edits))"
                let breaks = String(repeating: "\n", count: source.lineCount(in: range))
                replace(range, with: "typealias \(local.name) = \(path).\(local.name)" + breaks, applied: .omitted)
                let name = "\(path).\(local.name)"
                classNames[name.replacing(".", with: "_")] = name
                report(.localClass, at: local.keywordIndex, "class \(local.name)")
            }
            let opening = owner.map { "extension \($0) { enum \(space) {" } ?? "enum \(space) {"
            let end = source.bytes.count
            let text = "\n\(opening)\(members)\n}\(owner == nil ? "" : " }")\n"
            replace(end..<end, with: text, applied: .omitted)
        }
    }
}
