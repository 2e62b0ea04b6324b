import SourcePorting
import Testing

@Suite("Keys of an operation that depend on others are ported")
struct DependentKeyTests {
    private func index(_ text: String) -> PortIndex { PortIndex(files: [("A.swift", text)]) }

    private func porter(_ text: String) -> Porter { Porter(path: "A.swift", text: text, index: index(text)) }

    private func copy(_ text: String) -> String {
        let lines = porter(text).text.split(separator: "\n", omittingEmptySubsequences: false)
        return lines.dropFirst().joined(separator: "\n")
    }

    private static let call = "portedDidChange(self, \"isExecuting\", \"isFinished\")"

    private static func operation(_ body: String) -> String {
        """
        class A: Base {
        \(body)
            class func keyPathsForValuesAffectingIsExecuting() -> Set<String> { ["s"] }
            static func keyPathsForValuesAffectingIsFinished() -> Set<String> { return [#keyPath(A.s)] }
            class func keyPathsForValuesAffectingText() -> Set<String> { ["t"] }
        }
        """
    }

    @Test(
        "A change of a property that others depend on is said to Foundation",
        arguments: [
            ("dynamic var s = 1", "        var s = 1 { didSet { CALL } }"),
            ("private dynamic var s: Int? = f(\n    1)\n    .b",
                "private         var s: Int? = f(\n    1)\n    .b { didSet { CALL } }"),
            ("dynamic var s: Set<Int> = { [] }()\nlet b = 1",
                "        var s: Set<Int> = { [] }() { didSet { CALL } }\nlet b = 1"),
            ("dynamic private(set) var s = 1; let b = 1",
                "        private(set) var s = 1 { didSet { CALL } }; let b = 1"),
            ("dynamic var s: Int { get { r } set { r = newValue } }",
                "        var s: Int { get { r } set { defer { CALL }; r = newValue } }"),
            ("dynamic var s: Int\n{ set(new) { r = new }\n get { r } }",
                "        var s: Int\n{ set(new) { defer { CALL }; r = new }\n get { r } }"),
            ("dynamic var s = 1 { didSet { f() } }", "        var s = 1 { didSet { defer { CALL }; f() } }"),
            ("dynamic var s = 1 { willSet { f() } }", "        var s = 1 { willSet { f() } ; didSet { CALL } }"),
            ("func f() { didChangeValue(forKey: \"s\") }", "func f() { didChangeValue(forKey: \"s\"); CALL }"),
        ])
    func changes(_ source: String, _ ported: String) throws {
        let text = Self.operation(source)
        let expected = ported.replacing("CALL", with: Self.call)
        #expect(copy(text).contains("\n\(expected)\n    class func"))
        #expect(porter(text).findings.map(\.kind).contains(.dependentKey))
        #expect(try index(text).text().contains("func portedDidChange("))
    }

    @Test(
        "Other properties stay as they are",
        arguments: [
            "var s = 1", "dynamic var t = 1", "dynamic var s: Int { 1 }", "dynamic var u = 1",
            "func f() { didChangeValue(forKey: \"t\") }",
        ])
    func others(_ source: String) {
        let text = Self.operation(source)
        #expect(!copy(text).contains("portedDidChange"))
        #expect(!porter(text).findings.map(\.kind).contains(.dependentKey))
    }

    @Test("An operation's one method for all keys overrides nothing")
    func anyKey() {
        let text = """
            class A: Operation {
                @objc dynamic var s = 1
                override class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
                    let keys = super.keyPathsForValuesAffectingValue(forKey: key)
                    return key == "isFinished" ? keys.union(["s"]) : keys
                }
            }
            """
        let copy = copy(text)
        let call = "portedDidChange(self, \"isExecuting\", \"isFinished\", \"isReady\")"
        #expect(copy.contains("var s = 1 { didSet { \(call) } }"))
        #expect(copy.contains("\n             class func keyPathsForValuesAffectingValue(forKey"))
        #expect(copy.contains("let keys = Set<String>()\n"))
        let object = text.replacing("Operation", with: "NSManagedObject")
        #expect(self.copy(object).contains("override class func keyPaths"))
    }

    @Test("Written into the sources, they are ported once")
    func applied() {
        let property = "    @objc dynamic var s: Int {\n        get { r }\n        set { r = newValue }\n    }"
        let text = Self.operation(property)
        let once = AppliedSource(path: "A.swift", text: text, index: index(text)).text
        let statement = "#if !canImport(ObjectiveC)\ndefer { \(Self.call) }\n#endif\n"
        #expect(once.contains("set {\n\(statement) r = newValue }"))
        let twice = AppliedSource(path: "A.swift", text: once, index: index(once)).text
        #expect(twice == once)
    }
}
