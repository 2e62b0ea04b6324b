import Firn
import FirnModel
import Foundation
import StoreSupport
import TestSupport
import Testing

@Suite("Conformance (d): a pinned context, and history that is deleted")
struct PinnedTrimConformanceTests {
    @Test("d.20 faults of a pinned context fire after the history up to its generation was deleted")
    func faults() async {
        await #expect(processExitsWith: .success) {
            let coordinator = try Library.inMemory()
            let (writer, reader) = (coordinator.context(), coordinator.context())
            let ada = writer.make("Author", ["name": "Ada"])
            try writer.save()
            try reader.setQueryGenerationFrom(.current)
            let mine = try reader.all("Author")
            ada.setValue("Eve", forKey: "name")
            try writer.save()
            // What Apple recommends an application to do now and then.
            _ = try writer.execute(
                NSPersistentHistoryChangeRequest.deleteHistory(before: Date(timeIntervalSinceNow: 1)))
            #expect(mine[0].value(forKey: "name") as? String == "Ada")
        }
    }

    @Test("d.20 so do its relationships")
    func relationships() async {
        await #expect(processExitsWith: .success) {
            let coordinator = try Library.inMemory()
            let (writer, reader) = (coordinator.context(), coordinator.context())
            let ada = writer.make("Author", ["name": "Ada"])
            writer.make("Book", ["title": "Notes"]).setValue(ada, forKey: "author")
            try writer.save()
            try reader.setQueryGenerationFrom(.current)
            let mine = try reader.existingObject(with: ada.objectID)
            ada.setValue("Eve", forKey: "name")
            try writer.save()
            try coordinator.trimHistory(keeping: HistoryRetention(transactionCountMax: 0))
            #expect((mine.value(forKey: "books") as? NSOrderedSet)?.count == 1)
        }
    }

    @Test("d.20 what cannot be kept, as a value was erased, is inaccessible")
    func erased() async {
        await #expect(processExitsWith: .success) {
            let coordinator = try Library.inMemory()
            let (writer, reader) = (coordinator.context(), coordinator.context())
            let ada = writer.make("Author", ["name": "Ada", "age": 36])
            writer.make("Book", ["title": "Notes"]).setValue(ada, forKey: "author")
            try writer.save()
            try reader.setQueryGenerationFrom(.current)
            let mine = try reader.all("Author")
            ada.setValue("Eve", forKey: "name")
            ada.setValue(nil, forKey: "age")
            try writer.save()
            try coordinator.erase(ada.objectID, property: "age")
            try coordinator.trimHistory(keeping: HistoryRetention(transactionCountMax: 0))
            #expect(throws: CocoaError.self) { try reader.existingObject(with: ada.objectID) }
            #expect(mine[0].value(forKey: "name") == nil)
            #expect((mine[0].value(forKey: "books") as? NSOrderedSet)?.count == 0)
            try reader.save()
            #expect(try coordinator.context().strings("Author", "name") == ["Eve"])
        }
    }
}
