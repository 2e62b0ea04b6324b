import Firn
import FirnFoundation
import FirnLog
import FirnModel
import Foundation
import TestSupport
import Testing

@Suite("Shared stores whose server is away")
struct AwayTests {
    private let server: FolderServer

    init() throws { server = try FolderServer(isFollowed: false) }

    /// The error of the log below a save's.
    private func code(_ error: (any Error)?) -> LogError.Code? {
        (error as NSError?)?.logError?.code
    }

    private func failure(_ body: () throws -> Void) -> NSError? {
        do {
            try body()
            return nil
        } catch {
            return error as NSError
        }
    }

    @Test("the copy can be read, and says what it knows")
    func reading() throws {
        let machine = try Machine(server.address)
        try machine.note("one")
        #expect(machine.store.sharedLogState?.problem == nil)
        let directory = try machine.leave()
        server.set(.away)
        let again = try Machine(server.address, directory: directory)
        #expect(try again.texts() == ["one"])
        let state = try #require(again.store.sharedLogState)
        #expect(state.head == 2)
        #expect(state.lastContact == nil)
        #expect((state.problem as? LogError)?.code == .unreachable)
    }

    @Test("saving is refused with the reason, and goes on by itself when the server is back")
    func saving() throws {
        let machine = try Machine(server.address)
        try machine.note("one")
        server.set(.away)
        let refused = failure { try machine.note("two") }
        #expect(refused?.code == NSPersistentStoreSaveError)
        #expect(code(refused) == .unreachable)
        #expect(try machine.texts() == ["one", "two"], "the context keeps what it has")
        server.set(nil)
        try machine.save { _ in }
        #expect(try Machine(server.address).texts() == ["one", "two"])
        #expect(machine.store.sharedLogState?.problem == nil)
    }

    @Test("a store that this machine has no copy of cannot be opened, and nothing is written")
    func opening() throws {
        server.set(.away)
        let directory = try TemporaryDirectory()
        let error = failure { _ = try Machine(server.address, directory: directory) }
        #expect(code(error) == .unreachable)
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == [])
    }

    @Test("a save whose answer was lost is not made twice")
    func lostAnswer() throws {
        let machine = try Machine(server.address)
        try machine.note("one")
        server.set(.losesAnswer)
        let unanswered = failure { try machine.note("two") }
        #expect(code(unanswered) == .outcomeUnknown)
        #expect(unanswered?.localizedDescription.contains("Save it again later") == true, "\(unanswered as Any)")
        for _ in 0..<2 {
            let error = failure { try machine.save { _ in } }
            #expect(error?.code == NSPersistentStoreSaveError)
            #expect(code(error) == .appendedAfterAll)
        }
        machine.context.performAndWait { machine.context.rollback() }
        try machine.note("three")
        #expect(try machine.texts() == ["one", "three", "two"])
        #expect(try Machine(server.address).texts() == ["one", "three", "two"])
    }

    @Test("a save that was lost on its way is made when it is saved again")
    func lostRequest() throws {
        let machine = try Machine(server.address)
        try machine.note("one")
        server.set(.losesRequest)
        #expect(code(failure { try machine.note("two") }) == .outcomeUnknown)
        try machine.save { _ in }
        #expect(try Machine(server.address).texts() == ["one", "two"])
    }

    @Test("a save that was lost on its way is made after another machine's, which took its place")
    func refuted() throws {
        let (machine, other) = (try Machine(server.address), try Machine(server.address))
        server.set(.losesRequest)
        #expect(code(failure { try machine.note("two") }) == .outcomeUnknown)
        try other.note("one")
        try machine.save { _ in }
        #expect(try Machine(server.address).texts() == ["one", "two"])
    }

    @Test("another context may save after one whose answer was lost")
    func otherContext() throws {
        let machine = try Machine(server.address)
        server.set(.losesAnswer)
        #expect(code(failure { try machine.note("one") }) == .outcomeUnknown)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = machine.coordinator
        try context.performAndWait {
            _ = Notes.insert("two", in: context)
            try context.save()
            #expect(!context.hasChanges)
        }
        #expect(try Machine(server.address).texts() == ["one", "two"])
    }

    @Test("a save whose answer was lost, and whose record was trimmed before it was found out, is not made twice")
    func trimmedMeanwhile() throws {
        let (machine, other) = (try Machine(server.address), try Machine(server.address))
        server.set(.losesAnswer)
        #expect(code(failure { try machine.note("one") }) == .outcomeUnknown)
        try other.note("two")
        try other.coordinator.trimHistory(keeping: HistoryRetention(transactionCountMax: 0))
        for _ in 0..<2 {
            let error = failure { try machine.save { _ in } }
            #expect(code(error) == .outcomeUnknown)
            #expect(error?.localizedDescription.contains("Save it again later") == false, "\(error as Any)")
        }
        machine.context.performAndWait { machine.context.rollback() }
        try machine.note("three")
        #expect(try machine.texts() == ["one", "three", "two"])
    }

    private func insert(_ texts: [String], into machine: Machine) throws -> Int {
        try machine.context.performAndWait {
            let request = NSBatchInsertRequest(entityName: "Note", objects: texts.map { ["text": $0] })
            request.resultType = .count
            let result = try machine.context.execute(request) as? NSBatchInsertResult
            return result?.result as? Int ?? -1
        }
    }

    @Test("a batch whose answer was lost is found to have been made, once")
    func batchLostAnswer() throws {
        let machine = try Machine(server.address)
        server.set(.losesAnswer)
        #expect(try insert(["one", "two"], into: machine) == 2)
        #expect(try machine.texts() == ["one", "two"])
        #expect(try Machine(server.address).texts() == ["one", "two"])
    }

    @Test("a batch that was lost on its way is made after another machine's save, which took its place")
    func batchRefuted() throws {
        let (machine, other) = (try Machine(server.address), try Machine(server.address))
        server.set(.losesRequest)
        let error = failure { _ = try insert(["one"], into: machine) }
        // Nobody can tell while its place is free.
        #expect(code(error) == .outcomeUnknown)
        try other.note("two")
        #expect(try insert(["one"], into: machine) == 1)
        #expect(try Machine(server.address).texts() == ["one", "two"])
    }

    @Test("IDs that were asked for without an answer are asked for again")
    func permanentIDs() throws {
        let machine = try Machine(server.address)
        server.set(.losesAnswer)
        try machine.context.performAndWait {
            let note = Notes.insert("one", in: machine.context)
            try machine.context.obtainPermanentIDs(for: [note])
            #expect(!note.objectID.isTemporaryID)
            try machine.context.save()
        }
        #expect(try Machine(server.address).texts() == ["one"])
    }

    @Test("a save that is repeated after its answer was lost is refused also when other machines went on")
    func refusedRetry() throws {
        let (machine, other) = (try Machine(server.address), try Machine(server.address))
        server.set(.losesAnswer)
        #expect(code(failure { try machine.note("one") }) == .outcomeUnknown)
        for number in 2...4 { try other.note("\(number)") }
        #expect(code(failure { try machine.save { _ in } }) == .appendedAfterAll)
        machine.context.performAndWait { machine.context.reset() }
        try machine.note("five")
        #expect(try Machine(server.address).texts() == ["2", "3", "4", "five", "one"])
    }
}
