import Firn
import FirnModel
import Foundation
import StoreSupport
import Synchronization
import TestSupport
import Testing

extension InterruptedTests {
    @Suite("New objects")
    struct PreparedSaveTests {
        private let directory: TemporaryDirectory
        private let coordinator: NSPersistentStoreCoordinator

        init() throws {
            ValueTransformer.setValueTransformer(Interrupting(), forName: Interrupting.name)
            directory = try TemporaryDirectory()
            coordinator = try Self.open(directory)
            try saveTwo()
        }

        /// While one is being saved, another one begins to be: those that follow are expected to meet others too.
        private func saveTwo() throws {
            _ = try Self.save("", coordinator)
            let (hasBegun, hasEnded) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            Interrupting.interrupt(
                { [coordinator] in
                    Thread.detachNewThread {
                        _ = try? Self.save("", coordinator)
                        hasEnded.signal()
                    }
                    hasBegun.wait()
                },
                { hasBegun.signal() })
            _ = try Self.save("", coordinator)
            hasEnded.wait()
        }

        private static func open(_ directory: TemporaryDirectory) throws -> NSPersistentStoreCoordinator {
            let text = ModelSketch.attribute("text", .transformableAttributeType)
            text.valueTransformerName = Interrupting.name.rawValue
            let coordinator = NSPersistentStoreCoordinator(
                managedObjectModel: ModelSketch.model(ModelSketch.entity("Note", [text])))
            _ = try coordinator.addPersistentStore(
                ofType: NSSQLiteStoreType, configurationName: nil, at: directory.file("Notes.sqlite"), options: nil)
            return coordinator
        }

        private static func save(_ text: String, _ coordinator: NSPersistentStoreCoordinator) throws -> URL {
            let context = coordinator.context()
            return try context.performAndWait {
                let note = context.make("Note", ["text": text])
                try context.save()
                return note.objectID.uriRepresentation()
            }
        }

        /// All but those of `saveTwo()`.
        private func stored() throws -> [URL: String] {
            let reader = try Self.open(directory).context()
            return try reader.performAndWait {
                var found: [URL: String] = [:]
                for note in try reader.all("Note") {
                    let text = note.value(forKey: "text") as? String
                    if text != "" { found[note.objectID.uriRepresentation()] = text }
                }
                return found
            }
        }

        @Test("are made again when another program saves meanwhile, under keys that it did not take")
        func otherProgram() throws {
            let other = try Self.open(directory)
            var saved = [try Self.save("first", coordinator): "first"]
            let fromOther = Mutex<URL?>(nil)
            Interrupting.interrupt { fromOther.withLock { $0 = try? Self.save("of another program", other) } }
            saved[try Self.save("interrupted", coordinator)] = "interrupted"
            saved[try Self.save("last", coordinator)] = "last"
            let url = try #require(fromOther.withLock { $0 })
            saved[url] = "of another program"
            #expect(saved.count == 4)
            #expect(try stored() == saved)
        }

        /// A value for which the transformer has no data.
        private static func fail(_ coordinator: NSPersistentStoreCoordinator) throws {
            let context = coordinator.context()
            try context.performAndWait {
                _ = context.make("Note", ["text": NSNumber(value: 7)])
                try context.save()
            }
        }

        @Test("that fail leave gaps: no key is given twice")
        func failing() throws {
            let first = try Self.save("first", coordinator)
            for _ in 0..<100 { #expect(throws: (any Error).self) { try Self.fail(coordinator) } }
            let second = try Self.save("second", coordinator)
            func key(_ url: URL) -> Int? { Int(url.lastPathComponent.dropFirst()) }
            #expect(try #require(key(second)) > (try #require(key(first))))
        }

        @Test("get keys of their own when one of the same program ends first")
        func otherContext() throws {
            var saved = [try Self.save("first", coordinator): "first"]
            let ofOther = Mutex<URL?>(nil)
            Interrupting.interrupt { [coordinator] in
                ofOther.withLock { $0 = try? Self.save("of another context", coordinator) }
            }
            saved[try Self.save("interrupted", coordinator)] = "interrupted"
            saved[try Self.save("last", coordinator)] = "last"
            let url = try #require(ofOther.withLock { $0 })
            saved[url] = "of another context"
            #expect(saved.count == 4)
            #expect(try stored() == saved)
        }
    }
}
