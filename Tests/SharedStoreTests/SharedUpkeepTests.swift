import Firn
import FirnLog
import FirnModel
import Foundation
import Synchronization
import TestSupport
import Testing

@Suite("Trimming and erasing what many machines share")
struct SharedUpkeepTests {
    private static let secret = "nobody may know " + String(repeating: "xyzzy ", count: 40)

    private func trim(_ machine: Machine) throws {
        try machine.coordinator.trimHistory(keeping: HistoryRetention(transactionCountMax: 0))
    }

    private func log(_ machine: Machine) throws -> SegmentLog {
        try SegmentLog.open(directory: machine.copy.path + "-log", forWriting: false)
    }

    private func isSound(_ machine: Machine) throws -> Bool {
        let report = try LogMaintenance(log(machine)).verify()
        return report.isSound
    }

    @Test(
        "history that one machine deletes is gone for those that come later, and the state is there",
        arguments: Server.all)
    func trimmed(_ server: Server) throws {
        let address = try server.address()
        let first = try Machine(address)
        for text in ["one", "two", "three"] { try first.note(text) }
        try trim(first)
        try first.note("four")
        let second = try Machine(address)
        #expect(try second.texts() == ["four", "one", "three", "two"])
        #expect(try log(second).baseline == 4)
        #expect(try isSound(first) && isSound(second))
        try second.note("five")
        #expect(try Machine(address).texts() == ["five", "four", "one", "three", "two"])
    }

    @Test("a machine that was away while history was deleted goes on with the baseline", arguments: Server.all)
    func fellBehind(_ server: Server) throws {
        let address = try server.address()
        let first = try Machine(address)
        try first.note("one")
        let second = try Machine(address)
        let directory = try second.leave()
        try first.note("two")
        try first.save { try $0.delete(Notes.note("one", in: $0)) }
        try trim(first)
        try first.note("three")
        let again = try Machine(address, directory: directory)
        #expect(try again.texts() == ["three", "two"])
        #expect(try isSound(again))
        try again.note("four")
        #expect(try Machine(address).texts() == ["four", "three", "two"])
    }

    @Test("a machine that is open while history is deleted that it has not seen goes on with the baseline")
    func fellBehindWhileOpen() throws {
        let server = try FolderServer(isFollowed: false)
        let (first, second) = (try Machine(server.address), try Machine(server.address))
        try first.note("one")
        try trim(first)
        try first.note("two")
        // It learns of all this when it saves, or when that fails.
        do { try second.note("three") } catch { try second.save { _ in } }
        #expect(try second.texts() == ["one", "three", "two"])
        #expect(try isSound(second))
        #expect(try Machine(server.address).texts() == ["one", "three", "two"])
    }

    /// The files of a machine that have the secret.
    private func traces(_ machine: Machine) throws -> [String] {
        let folder = machine.copy.deletingLastPathComponent()
        let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
        var found: [String] = []
        for case let file as URL in files?.allObjects ?? [] where !file.hasDirectoryPath {
            let data: Data
            // Tables that a follower has just built anew were put into their place.
            do { data = try Data(contentsOf: file) } catch CocoaError.fileReadNoSuchFile { continue }
            if data.range(of: Data("xyzzy".utf8)) != nil { found.append(file.lastPathComponent) }
        }
        let log = try log(machine)
        let replay = try log.replay()
        while let record = try replay.next() {
            if "\(record.body)".contains("xyzzy") { found.append("record \(record.sequence)") }
        }
        return found
    }

    private func erase(_ text: String, on machine: Machine) throws {
        let id = try machine.context.performAndWait { try Notes.note(text, in: machine.context).objectID }
        try machine.coordinator.erase(id)
    }

    @Test("what one machine erases goes from all copies, and from the log", arguments: Server.all, [false, true])
    func erased(_ server: Server, isTrimmed: Bool) throws {
        let address = try server.address()
        let first = try Machine(address)
        try first.note(Self.secret)
        try first.note("two")
        let second = try Machine(address)
        #expect(try second.texts().count == 2)
        if isTrimmed { try trim(first) }
        try erase(Self.secret, on: first)
        #expect(try traces(first) == [])
        try second.note("three")
        let directory = try second.leave()
        let again = try Machine(address, directory: directory)
        #expect(try again.texts() == ["three", "two"])
        #expect(try traces(again) == [])
        let third = try Machine(address)
        #expect(try third.texts() == ["three", "two"])
        #expect(try traces(third) == [])
        for machine in [first, again, third] { #expect(try isSound(machine)) }
    }

    @Test("what another machine saves while a property is erased stays")
    func savedMeanwhile() throws {
        let server = try FolderServer(isFollowed: false)
        let first = try Machine(server.address)
        try first.note(Self.secret)
        let second = try Machine(server.address)
        func secret(_ context: NSManagedObjectContext) throws -> NSManagedObjectID {
            try context.performAndWait { try Notes.note(Self.secret, in: context).objectID }
        }
        let (mine, theirs) = (try secret(first.context), try secret(second.context))
        let isDone = Atomic(false)
        server.onAppend.withLock {
            $0 = { isMade in
                // After the save that the erasure begins with.
                guard isMade, !isDone.exchange(true, ordering: .relaxed) else { return }
                try? second.save { context in
                    context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
                    try context.existingObject(with: theirs).setValue("new", forKey: "text")
                }
            }
        }
        try first.coordinator.erase(mine, property: "text")
        let wasDone = isDone.load(ordering: .relaxed)
        #expect(wasDone)
        #expect(try second.texts() == ["new"])
        #expect(try traces(first) == [])
    }

    @Test("a store that is destroyed is gone from the server, and others are told", arguments: Server.all)
    func destroyed(_ server: Server) throws {
        let address = try server.address()
        let machine = try Machine(address)
        try machine.note("one")
        let url = try #require(URL(string: address))
        let directory = try machine.leave()
        try machine.coordinator.destroyPersistentStore(
            at: url, type: .sqlite, options: [PersistentStoreLocalCopyOption: machine.copy as NSURL])
        #expect(!FileManager.default.fileExists(atPath: machine.copy.path))
        #expect(!FileManager.default.fileExists(atPath: machine.copy.path + "-log"))
        // It is made anew.
        #expect(try Machine(address, directory: directory).texts() == [])
    }

    @Test("metadata cannot be set in the copy alone", arguments: Server.all)
    func metadataOfCopy(_ server: Server) throws {
        let machine = try Machine(try server.address())
        try machine.note("one")
        _ = try machine.leave()
        let error = #expect(throws: NSError.self) {
            try NSPersistentStoreCoordinator.setMetadata(["colour": "red"], type: .sqlite, at: machine.copy)
        }
        #expect(error?.localizedDescription.contains("shared") == true, "\(String(describing: error))")
    }

    @Test("opening tells how far it has come", arguments: Server.all)
    func progress(_ server: Server) throws {
        let address = try server.address()
        let machine = try Machine(address)
        for number in 1...20 { try machine.note("\(number)") }
        let fractions = Mutex<[Double]>([])
        let listener = OpeningProgress { fraction in fractions.withLock { $0.append(fraction) } }
        let later = try Machine(address, options: [PersistentStoreOpeningProgressOption: listener])
        #expect(try later.texts().count == 20)
        let told = fractions.withLock { $0 }
        #expect(told.contains(1) && told.allSatisfy { (0...1).contains($0) }, "\(told)")
    }
}
