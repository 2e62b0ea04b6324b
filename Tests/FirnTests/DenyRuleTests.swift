import Firn
import FirnModel
import Foundation
import StoreSupport
import TestSupport
import Testing

@Suite("The rule Deny")
struct DenyRuleTests {
    private static func context(_ directory: TemporaryDirectory) throws -> NSManagedObjectContext {
        let author = ModelSketch.entity("Author", [ModelSketch.attribute("name")])
        let prize = ModelSketch.entity("Prize", [ModelSketch.attribute("name")])
        ModelSketch.relate(author, "prizes", toMany: prize, "author").deleteRule = .denyDeleteRule
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: ModelSketch.model(author, prize))
        _ = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: directory.file("Prizes.sqlite"), options: nil)
        return coordinator.context()
    }

    @Test("lets an object go with a member that was never saved", arguments: [false, true])
    func newMember(hasSavedMember: Bool) throws {
        let directory = try TemporaryDirectory()
        let context = try Self.context(directory)
        try context.performAndWait {
            let author = context.make("Author", ["name": "Ada"])
            let saved = hasSavedMember ? context.make("Prize", ["name": "saved"]) : nil
            try context.save()
            let new = context.make("Prize", ["name": "new"])
            author.setValue(Set([saved, new].compactMap { $0 }), forKey: "prizes")
            for object in [author, saved, new].compactMap({ $0 }) { context.delete(object) }
            context.processPendingChanges()
            try context.save()
            #expect(try context.all("Author").isEmpty)
            #expect(try context.all("Prize").isEmpty)
        }
    }

    @Test("keeps an object to which another save has added a member, whatever the policy")
    func memberOfOtherSave() throws {
        let directory = try TemporaryDirectory()
        let context = try Self.context(directory)
        context.mergePolicy = NSMergePolicy.overwrite
        let other = try #require(context.persistentStoreCoordinator).context()
        try context.performAndWait {
            let author = context.make("Author", ["name": "Ada"])
            try context.save()
            try other.performAndWait {
                other.make("Prize").setValue(try other.existingObject(with: author.objectID), forKey: "author")
                try other.save()
            }
            context.delete(author)
            let error = #expect(throws: NSError.self) { try context.save() }
            #expect(error?.code == NSValidationRelationshipDeniedDeleteError)
        }
    }

    @Test("keeps an object whose new member stays")
    func stayingMember() throws {
        let directory = try TemporaryDirectory()
        let context = try Self.context(directory)
        try context.performAndWait {
            let author = context.make("Author", ["name": "Ada"])
            try context.save()
            context.make("Prize", ["name": "new"]).setValue(author, forKey: "author")
            context.delete(author)
            let error = #expect(throws: NSError.self) { try context.save() }
            #expect(error?.code == NSValidationRelationshipDeniedDeleteError)
        }
    }
}
