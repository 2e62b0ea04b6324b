import SourcePorting
import Testing

@Suite("Methods that check the values of keys are ported")
struct CheckedKeyTests {
    private static let pointer = "AutoreleasingUnsafeMutablePointer<AnyObject?>"

    private func porter(_ texts: [String], _ file: Int = 0) -> Porter {
        let files = texts.enumerated().map { ("\($0).swift", $1) }
        return Porter(path: files[file].0, text: texts[file], index: PortIndex(files: files))
    }

    @Test("Those of a class and of its extensions are called by one override in the class")
    func several() {
        let note = "class Note: NSManagedObject { @objc func validateAge(_ v: \(Self.pointer)) throws {} }"
        let more = "extension Note { @objc func validateName(_ v: \(Self.pointer)) throws {} }"
        let porters = [porter([note, more]), porter([note, more], 1)]
        #expect(
            porters[0].text.contains("case \"Age\": try validateAge(value); case \"Name\": try validateName(value); "))
        #expect(porters[0].text.ranges(of: "try super.validateValue(value, forKey: key)").count == 1)
        #expect(!porters[1].text.contains("super.validateValue"))
        for porter in porters { #expect(!porter.findings.contains { $0.kind == .validation }) }
    }

    @Test(
        "Others are not called",
        arguments: [
            "class Note: NSManagedObject { func validateAge(_ v: P) throws {} }",
            "class Note: NSManagedObject { @objc func validate(_ v: P) throws {} }",
            "class Note: NSManagedObject { @objc func validateAge(_ v: P, of: Int) throws {} }",
            "class Note: NSManagedObject { @objc func validateAge(_ v: Int) throws {} }",
            "class Note: NSObject { @objc func validateAge(_ v: P) throws {} }",
        ])
    func others(text: String) {
        #expect(!porter([text.replacing("P)", with: Self.pointer + ")")]).text.contains("validateValue"))
    }

    @Test("A class that overrides the method that calls them calls them itself")
    func ownOverride() {
        let text = """
            class Note: NSManagedObject {
                @objc func validateAge(_ v: \(Self.pointer)) throws {}
                override func validateValue(_ v: \(Self.pointer), forKey key: String) throws {}
            }
            """
        #expect(!porter([text]).text.contains("super.validateValue"))
    }
}
