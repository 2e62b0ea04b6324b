import Dispatch
import Firn
import FirnLog
import FirnModel
import Foundation
import StoreSupport
import Synchronization
import TestSupport
import Testing

@Suite("Openings of one new store at once")
struct OpeningTogetherTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// The calls of an opening before it has the log's lock.
    enum Step: CaseIterable {
        case file, folder, folderName, lock

        func matches(_ call: HeardFileSystem.Call, _ path: String) -> Bool {
            switch (self, call) {
            case (.file, .create): path.hasSuffix("Library.sqlite")
            case (.folder, .createDirectory), (.folderName, .syncDirectory), (.lock, .acquireLock): true
            default: false
            }
        }
    }

    /// A copy of a store on a server makes its file last.
    private static let steps = StoresOnServer.isAsked ? Step.allCases.filter { $0 != .file } : Step.allCases

    /// How many of its calls a disk lets an opening make before it is full.
    private static let spaces = Array(0..<6)

    @Test("one succeeds that another one interrupts", arguments: steps)
    func interrupted(_ step: Step) throws {
        let path = directory.path
        let isDone = Atomic(false)
        let fileSystem = HeardFileSystem { call, heard throws(FileError) in
            guard step.matches(call, heard), !isDone.exchange(true, ordering: .relaxed) else { return }
            do {
                try Self.save("Ada", in: path, PosixFileSystem())
            } catch {
                Issue.record(error)
            }
        }
        try Self.save("Bob", in: path, fileSystem)
        let wasInterrupted = isDone.load(ordering: .relaxed)
        #expect(wasInterrupted)
        #expect(try Self.names(in: path) == ["Ada", "Bob"])
    }

    @Test("two succeed while another one fails", arguments: steps, spaces)
    func othersFailure(_ step: Step, _ space: Int) throws {
        let path = directory.path
        let gate = Gate(isClosed: true)
        let result = Mutex<Result<Void, any Error>?>(nil)
        let group = DispatchGroup()
        let begun = Atomic(false)
        let calls = Atomic(0)
        // The opening that fails has found nothing when the other one begins.
        let full = HeardFileSystem { call, heard throws(FileError) in
            guard [.create, .createDirectory, .write, .allocate].contains(call) else { return }
            if !begun.exchange(true, ordering: .relaxed) {
                DispatchQueue.global().async(group: group) {
                    let slow = HeardFileSystem { call, heard throws(FileError) in
                        if step.matches(call, heard) { gate.pass() }
                    }
                    let outcome = Result { try Self.save("Bob", in: path, slow) }
                    result.withLock { $0 = outcome }
                }
                do { try gate.waitForArrival() } catch { Issue.record(error) }
            }
            let count = calls.add(1, ordering: .relaxed).newValue
            if count > space { throw FileError("write it", path: heard, errno: ENOSPC) }
        }
        let error = #expect(throws: NSError.self) { try Self.save("Ada", in: path, full) }
        #expect(error?.logError?.code == .noSpace)
        try Self.save("Cid", in: path, PosixFileSystem())
        gate.open()
        try group.waitForAll()
        try #require(result.withLock { $0 }).get()
        #expect(try Self.names(in: path) == ["Bob", "Cid"])
    }

    @Test("a copy's log is marked as one from its first moment", .enabled(if: StoresOnServer.isAsked))
    func mark() throws {
        let path = directory.path
        let log = path + "/Library.sqlite-log"
        let unmarked = Mutex<[String]>([])
        let fileSystem = HeardFileSystem { call, heard throws(FileError) in
            do {
                if try SegmentLog.exists(directory: log), try !SegmentLog.isCopy(directory: log) {
                    unmarked.withLock { $0.append("\(call) of \(heard)") }
                }
            } catch {
                Issue.record(error)
            }
        }
        try Self.save("Ada", in: path, fileSystem)
        #expect(unmarked.withLock { $0 } == [])
        #expect(try SegmentLog.isCopy(directory: log))
    }

    private static func save(_ name: String, in folder: String, _ fileSystem: any FileSystem) throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Library.model())
        let store = try coordinator.addPersistentStore(
            type: .sqlite, at: URL(fileURLWithPath: folder + "/Library.sqlite"),
            options: [PersistentStoreFileSystemOption: fileSystem])
        let context = coordinator.context()
        _ = context.make("Author", ["name": name])
        try context.save()
        try coordinator.remove(store)
    }

    private static func names(in folder: String) throws -> Set<String> {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Library.model())
        let store = try coordinator.addPersistentStore(
            type: .sqlite, at: URL(fileURLWithPath: folder + "/Library.sqlite"))
        let names = try coordinator.context().strings("Author", "name")
        try coordinator.remove(store)
        return Set(names)
    }
}
