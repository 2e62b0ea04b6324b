import FirnModel
import Foundation
import TestSupport
import Testing

/// What reading says of files that are odd or wrong.
@Suite struct ReadingTests {
    private func load(_ lines: String...) throws -> LoadedModel {
        let text = (["<model>"] + lines + ["</model>"]).joined(separator: "\n")
        return try NSManagedObjectModel.load(document: Array(text.utf8), name: "M")
    }

    /// The issues of a file that does not load; line 2 is the first given.
    private func errors(_ lines: String...) -> [String] {
        let text = (["<model>"] + lines + ["</model>"]).joined(separator: "\n")
        do {
            _ = try NSManagedObjectModel.load(document: Array(text.utf8), name: "M")
            return []
        } catch let error as ModelFileError {
            return error.issues.map(\.description)
        } catch {
            return ["\(error)"]
        }
    }

    @Test("An unknown attribute is kept and reported with its line")
    func unknownAttribute() throws {
        let loaded = try load("<entity name=\"A\" colour=\"red\"/>")
        #expect(
            loaded.warnings.map(\.description) == [
                "M:2: warning: <entity> has the unknown attribute 'colour'; it is preserved."
            ])
        #expect(
            String(decoding: loaded.model.xcdatamodelContents(), as: UTF8.self).contains(
                "colour=\"red\""))
    }

    @Test("An unknown element is kept and reported with its line")
    func unknownElement() throws {
        let loaded = try load("<entity name=\"A\">", "<smell strong=\"YES\"/>", "</entity>")
        #expect(
            loaded.warnings.map(\.description) == [
                "M:3: warning: <entity> has the unknown element <smell>; it is preserved."
            ])
        #expect(
            String(decoding: loaded.model.xcdatamodelContents(), as: UTF8.self).contains(
                "<smell strong=\"YES\"/>"))
    }

    @Test("A bad default is reported with its line, and Apple's reading of it taken")
    func badDefault() throws {
        let loaded = try load(
            "<entity name=\"A\">",
            "<attribute name=\"n\" attributeType=\"Integer 32\" defaultValueString=\"NO\"/>",
            "</entity>")
        #expect(
            loaded.warnings.map(\.description) == [
                "M:3: warning: the default 'NO' of 'n' is no integer; 0 is used."
            ])
        #expect(loaded.model.entitiesByName["A"]?.attributesByName["n"]?.defaultValue as? Int == 0)
    }

    @Test("Defaults are values of their types")
    func defaults() throws {
        let loaded = try load(
            "<entity name=\"A\">",
            "<attribute name=\"b\" attributeType=\"Boolean\" defaultValueString=\"YES\"/>",
            "<attribute name=\"d\" attributeType=\"Date\" defaultDateTimeInterval=\"86400\"/>",
            "<attribute name=\"m\" attributeType=\"Decimal\" defaultValueString=\"1.25\"/>",
            "<attribute name=\"s\" attributeType=\"String\" defaultValueString=\"\"/>",
            "</entity>")
        let attributes = loaded.model.entitiesByName["A"]?.attributesByName ?? [:]
        #expect(attributes["b"]?.defaultValue as? Bool == true)
        #expect(
            attributes["d"]?.defaultValue as? Date == Date(timeIntervalSinceReferenceDate: 86400))
        #expect(
            (attributes["m"]?.defaultValue as? NSDecimalNumber)?.decimalValue
                == Decimal(string: "1.25"))
        #expect(attributes["s"]?.defaultValue as? String == "")
    }

    @Test(
        "An inverse entity that is not the destination is reported, and the destination's relationship is taken",
        arguments: ["C", "D", "Nowhere"])
    func otherInverseEntity(name: String) throws {
        let loaded = try load(
            "<entity name=\"A\"><relationship name=\"b\" maxCount=\"1\" destinationEntity=\"B\" inverseName=\"a\" "
                + "inverseEntity=\"\(name)\"/></entity>",
            "<entity name=\"B\"><relationship name=\"a\" toMany=\"YES\" destinationEntity=\"A\" inverseName=\"b\" "
                + "inverseEntity=\"A\"/></entity>",
            "<entity name=\"C\"/>", "<entity name=\"D\"><relationship name=\"a\" maxCount=\"1\" "
                + "destinationEntity=\"D\" inverseName=\"a\" inverseEntity=\"D\"/></entity>")
        #expect(
            loaded.warnings.map(\.description) == [
                "M:2: warning: 'b' has an inverse of the entity '\(name)', and leads to 'B'; the inverse is 'B.a'."
            ])
        let entities = loaded.model.entitiesByName
        #expect(
            entities["A"]?.relationshipsByName["b"]?.inverseRelationship === entities["B"]?.relationshipsByName["a"])
    }

    @Test("An inverse that the destination inherits may name the parent or the destination", arguments: ["Base", "B"])
    func inheritedInverse(name: String) throws {
        let loaded = try load(
            "<entity name=\"A\"><relationship name=\"b\" maxCount=\"1\" destinationEntity=\"B\" inverseName=\"a\" "
                + "inverseEntity=\"\(name)\"/></entity>",
            "<entity name=\"Base\"><relationship name=\"a\" toMany=\"YES\" destinationEntity=\"A\" inverseName=\"b\" "
                + "inverseEntity=\"A\"/></entity>",
            "<entity name=\"B\" parentEntity=\"Base\"/>")
        #expect(!loaded.warnings.contains { $0.description.contains("leads to 'B'; the inverse is") })
    }

    @Test("A missing parent, destination, inverse and composite are all named, each with its line")
    func missing() {
        let issues = errors(
            "<entity name=\"A\" parentEntity=\"P\">",
            "<relationship name=\"r\" destinationEntity=\"D\"/>",
            "<relationship name=\"s\" destinationEntity=\"A\" inverseName=\"t\" inverseEntity=\"A\"/>",
            "<attribute name=\"c\" attributeType=\"Composite\" composite=\"C\"/>",
            "</entity>")
        #expect(
            Set(issues) == [
                "M:5: error: 'c' is of the composite 'C', which the model does not have.",
                "M:2: error: 'A' inherits from 'P', which the model does not have.",
                "M:3: error: the relationship 'r' leads to 'D', which the model does not have.",
                "M:4: error: the inverse 'A.t' of 's' is no relationship of the model.",
            ])
    }

    @Test("An entity that inherits from itself is an error")
    func cycle() {
        let issues = errors(
            "<entity name=\"A\" parentEntity=\"B\"/>", "<entity name=\"B\" parentEntity=\"A\"/>")
        #expect(issues == ["M:3: error: 'B' inherits from itself, through 'A'."])
    }

    @Test("A composite inside itself is an error")
    func compositeCycle() {
        let issues = errors(
            "<entity name=\"A\"><attribute name=\"c\" attributeType=\"Composite\" composite=\"C\"/></entity>",
            "<composite name=\"C\">",
            "<attribute name=\"d\" attributeType=\"Composite\" composite=\"C\"/>",
            "</composite>")
        #expect(issues == ["M:4: error: the composite 'C' contains itself."])
    }

    @Test("Two entities of one name are an error")
    func twice() {
        let issues = errors("<entity name=\"A\"/>", "<entity name=\"A\"/>")
        #expect(issues == ["M:3: error: the entity 'A' is declared twice."])
    }

    @Test("An error of the model as a whole has the line of the property")
    func validation() {
        let issues = errors(
            "<entity name=\"A\">", "<attribute name=\"hash\" attributeType=\"String\"/>",
            "</entity>")
        #expect(
            issues == ["M:3: error: A.hash: is a name that managed objects need for themselves."])
    }

    @Test(
        "What is no XML of a model is an error", arguments: ["", "text", "<model>", "<a/>", "\0"])
    func noModel(text: String) {
        #expect(throws: ModelFileError.self) {
            try NSManagedObjectModel.load(document: Array(text.utf8), name: "M")
        }
    }

    @Test("Every truncation of a document is an error, none a crash")
    func truncated() {
        let document = Library().model.xcdatamodelContents()
        for count in 0..<(document.count - 2) {
            #expect(throws: ModelFileError.self, "\(count) bytes") {
                try NSManagedObjectModel.load(document: Array(document.prefix(count)), name: "M")
            }
        }
    }

    @Test("A path where nothing is gives nil, and an error that names it")
    func absent() {
        let url = URL(filePath: "/nowhere/Model.xcdatamodeld")
        #expect(NSManagedObjectModel(contentsOf: url) == nil)
        let issue = ModelIssue(.error, "there is no file or folder at this path.", url.path)
        #expect(throws: ModelFileError(issues: [issue])) {
            try NSManagedObjectModel.load(contentsOf: url)
        }
    }
}
