import FirnModel
import ModelGeneration
import Testing

@Suite struct ClassGeneratorTests {
    private func load(_ lines: String...) throws -> NSManagedObjectModel {
        let text = (["<model>"] + lines + ["</model>"]).joined(separator: "\n")
        return try NSManagedObjectModel.load(document: Array(text.utf8), name: "M").model
    }

    private func text(_ name: String, of model: NSManagedObjectModel) -> String? {
        ClassGenerator(model: model).files().first { $0.name == name }?.text
    }

    @Test("A class inherits from the class of its superentity")
    func inheritance() throws {
        let model = try load(
            "<entity name=\"A\" representedClassName=\".A\"/>",
            "<entity name=\"B\" representedClassName=\"Module.B\" parentEntity=\"A\"/>")
        #expect(
            text("B+CoreDataClass.swift", of: model) == """
                import Foundation
                import CoreData

                public class B: A {
                }

                """)
    }

    @Test("Properties are typed as Xcode types them")
    func properties() throws {
        let model = try load(
            "<entity name=\"Item\" representedClassName=\"Item\">",
            "<attribute name=\"count\" attributeType=\"Integer 32\" usesScalarValueType=\"YES\"/>",
            "<attribute name=\"default\" attributeType=\"String\"/>",
            "<attribute name=\"boxed\" attributeType=\"Double\"/>",
            "<attribute name=\"sum\" attributeType=\"Integer 64\" derived=\"YES\" derivationExpression=\"x.@sum\"/>",
            "<relationship name=\"owner\" destinationEntity=\"Item\" maxCount=\"1\"/>",
            "</entity>")
        #expect(
            text("Item+CoreDataProperties.swift", of: model) == """
                import Foundation
                import CoreData

                extension Item {
                    public class func fetchRequest() -> NSFetchRequest<Item> {
                        NSFetchRequest<Item>(entityName: "Item")
                    }

                    public var boxed: NSNumber? {
                        get { value(forKey: "boxed") as? NSNumber }
                        set { setValue(newValue, forKey: "boxed") }
                    }

                    public var count: Int32 {
                        get { value(forKey: "count") as? Int32 ?? 0 }
                        set { setValue(newValue, forKey: "count") }
                    }

                    public var `default`: String? {
                        get { value(forKey: "default") as? String }
                        set { setValue(newValue, forKey: "default") }
                    }

                    public var owner: Item? {
                        get { value(forKey: "owner") as? Item }
                        set { setValue(newValue, forKey: "owner") }
                    }

                    public var sum: NSNumber? { value(forKey: "sum") as? NSNumber }
                }

                final class Item_KeyNames: GeneratedKeyNames {
                    override class func list(_ add: (AnyKeyPath, String) -> Void) {
                        add(\\Item.boxed, "boxed")
                        add(\\Item.count, "count")
                        add(\\Item.`default`, "default")
                        add(\\Item.owner, "owner")
                        add(\\Item.sum, "sum")
                    }
                }

                """)
    }

    @Test("A date that is to be a number has the seconds since 2001")
    func seconds() throws {
        let model = try load(
            "<entity name=\"Item\" representedClassName=\"Item\">",
            "<attribute name=\"made\" attributeType=\"Date\" usesScalarValueType=\"YES\"/>",
            "<attribute name=\"sold\" attributeType=\"Date\" usesScalarValueType=\"NO\"/>", "</entity>")
        let written = try #require(text("Item+CoreDataProperties.swift", of: model))
        #expect(
            written.contains(
                """
                    public var made: TimeInterval {
                        get { (value(forKey: "made") as? Date)?.timeIntervalSinceReferenceDate ?? 0 }
                        set { setValue(Date(timeIntervalSinceReferenceDate: newValue), forKey: "made") }
                    }
                """))
        #expect(written.contains("public var sold: Date? {"))
    }

    @Test("A custom class with a leading dot is one of the module that the files are compiled in")
    func customClass() throws {
        let model = try load(
            "<entity name=\"Item\" representedClassName=\"Item\">",
            "<attribute name=\"data\" attributeType=\"Transformable\" customClassName=\".Dataset\"/>",
            "<attribute name=\"other\" attributeType=\"Transformable\" customClassName=\"Charts.Dataset\"/>",
            "</entity>")
        let written = text("Item+CoreDataProperties.swift", of: model)
        #expect(written?.contains("public var data: Dataset? {") == true)
        #expect(written?.contains("public var other: Charts.Dataset? {") == true)
    }

    @Test("Compiled for a module, class names have it, unless they name another")
    func qualified() throws {
        let model = try load(
            "<entity name=\"A\" representedClassName=\"A\"/>", "<entity name=\"B\" representedClassName=\".B\"/>",
            "<entity name=\"C\" representedClassName=\"Other.C\"/>", "<entity name=\"D\"/>")
        let hashes = model.entityVersionHashesByName
        model.qualifyClassNames(module: "Mine")
        let names = model.entities.map { $0.managedObjectClassName ?? "" }
        #expect(Set(names) == ["Mine.A", "Mine.B", "Other.C", "NSManagedObject"])
        #expect(model.entityVersionHashesByName == hashes)
    }

    @Test(
        "A to-many relationship has methods that add and remove, an ordered one those that name a place"
    )
    func members() throws {
        let model = try load(
            "<entity name=\"A\" representedClassName=\"A\">",
            "<relationship name=\"friends\" destinationEntity=\"A\" toMany=\"YES\"/>",
            "<relationship name=\"steps\" destinationEntity=\"A\" toMany=\"YES\" ordered=\"YES\"/>",
            "</entity>")
        let lines = text("A+CoreDataProperties.swift", of: model)?.split(separator: "\n") ?? []
        let methods = lines.filter { $0.contains("public func ") }
        #expect(
            methods.map { $0.trimmingPrefix("    public func ") } == [
                "addToFriends(_ value: A) {", "removeFromFriends(_ value: A) {",
                "addToFriends(_ values: NSSet) {",
                "removeFromFriends(_ values: NSSet) {", "addToSteps(_ value: A) {",
                "removeFromSteps(_ value: A) {",
                "addToSteps(_ values: NSOrderedSet) {", "removeFromSteps(_ values: NSOrderedSet) {",
                "insertIntoSteps(_ value: A, at index: Int) {", "removeFromSteps(at index: Int) {",
                "replaceSteps(at index: Int, with value: A) {",
            ])
    }

    @Test("Only entities with a class of their own are written, and as the model says if asked")
    func forms() throws {
        let model = try load(
            "<entity name=\"A\" representedClassName=\"A\" codeGenerationType=\"class\"/>",
            "<entity name=\"B\" representedClassName=\"B\" codeGenerationType=\"category\"/>",
            "<entity name=\"C\" representedClassName=\"C\"/>", "<entity name=\"D\"/>")
        let generator = ClassGenerator(model: model)
        #expect(
            generator.files(.asModelled).map(\.name) == [
                "A+CoreDataClass.swift", "A+CoreDataProperties.swift", "B+CoreDataProperties.swift",
            ])
        #expect(
            generator.files(.categoryExtension).map(\.name) == [
                "A+CoreDataProperties.swift", "B+CoreDataProperties.swift",
                "C+CoreDataProperties.swift",
            ])
    }
}
