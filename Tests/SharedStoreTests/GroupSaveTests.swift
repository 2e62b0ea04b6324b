import Firn
import FirnFoundation
import FirnLog
import Foundation
import Synchronization
import TestSupport
import Testing

@Suite("Saves of many threads to a shared store")
struct GroupSaveTests {
    private func context(_ machine: Machine) -> NSManagedObjectContext {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = machine.coordinator
        return context
    }

    @Test("are there once each, on two machines at the same time", arguments: Server.following)
    func inserts(_ server: Server) throws {
        let address = try server.address()
        let machines = [try Machine(address), try Machine(address)]
        let failures = Mutex<[String]>([])
        runThreads(8) { thread in
            let context = context(machines[thread % 2])
            context.performAndWait {
                for number in 0..<12 {
                    Notes.insert("\(thread).\(number)", in: context)
                    do { try context.save() } catch { failures.withLock { $0.append("\(error)") } }
                }
            }
        }
        #expect(failures.withLock { $0 } == [])
        let expected = (0..<8).flatMap { thread in (0..<12).map { "\(thread).\($0)" } }.sorted()
        for machine in machines + [try Machine(address)] {
            try machine.save { Notes.insert("last \(UUID())", in: $0) }
            #expect(try machine.texts().filter { !$0.hasPrefix("last") } == expected)
        }
    }

    @Test("lose no increment of a number that all of them count up", arguments: Server.following)
    func increments(_ server: Server) throws {
        let address = try server.address()
        let first = try Machine(address)
        try first.note("counter")
        let machines = [first, try Machine(address)]
        let failures = Mutex<[String]>([])
        runThreads(6) { thread in
            let context = context(machines[thread % 2])
            context.performAndWait {
                for _ in 0..<5 {
                    do { try increment(context) } catch { failures.withLock { $0.append("\(error)") } }
                }
            }
        }
        #expect(failures.withLock { $0 } == [])
        let machine = try Machine(address)
        try machine.context.performAndWait {
            let counter = try Notes.note("counter", in: machine.context)
            #expect(counter.value(forKey: "count") as? Int == 30)
        }
    }

    /// Until nobody else was faster.
    private func increment(_ context: NSManagedObjectContext) throws {
        while true {
            context.refreshAllObjects()
            let counter = try Notes.note("counter", in: context)
            counter.setValue((counter.value(forKey: "count") as? Int ?? 0) + 1, forKey: "count")
            do { return try context.save() } catch let error as NSError where error.code == NSManagedObjectMergeError {
                context.rollback()
            }
        }
    }

    @Test("meet a row that is under way as a conflict, once it is there")
    func conflict() throws {
        let server = try FolderServer(isFollowed: false)
        let (outcome, _) = try race(server, fault: nil)
        #expect(outcome?.code == NSManagedObjectMergeError)
    }

    @Test("do not meet a row that was under way and got lost")
    func noConflict() throws {
        let server = try FolderServer(isFollowed: false)
        let (outcome, machine) = try race(server, fault: .losesRequest)
        #expect(outcome == nil)
        #expect(try machine.texts() == ["second"])
    }

    /// Two contexts change one note, the second while the first one's save is under way. What became of the second.
    private func race(_ server: FolderServer, fault: FolderServer.Fault?) throws -> (NSError?, Machine) {
        let machine = try Machine(server.address)
        try machine.note("note")
        let other = context(machine)
        try other.performAndWait {
            try Notes.note("note", in: other).setValue("second", forKey: "text")
        }
        let outcome = Mutex<NSError?>(nil)
        let isOver = DispatchSemaphore(value: 0)
        let isBegun = Mutex(false)
        server.onAppend.withLock { handler in
            handler = { isMade in
                let isFirst = isBegun.withLock { isBegun in
                    defer { isBegun = true }
                    return !isBegun
                }
                guard isFirst, !isMade else { return }
                Thread.detachNewThread {
                    other.performAndWait {
                        do { try other.save() } catch { outcome.withLock { $0 = error as NSError } }
                    }
                    isOver.signal()
                }
            }
        }
        server.set(fault)
        try? machine.save { try Notes.note("note", in: $0).setValue("first", forKey: "text") }
        isOver.wait()
        if fault != nil { machine.context.performAndWait { machine.context.rollback() } }
        return (outcome.withLock { $0 }, machine)
    }
}
