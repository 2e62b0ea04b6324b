import CoreData
import Foundation

/// What a store of 2 GB takes in memory: written through one context that is reset after each save, then looked at by
/// the tool. It needs no server.
///
///     FIRN_TOOL    the tool's program
struct LargeStore {
    private static let megabytes = 2_000
    private static let rowSize = 26_000
    private static let rowsASave = 100

    func print() throws {
        guard let tool = ProcessInfo.processInfo.environment["FIRN_TOOL"] else {
            throw Failure(description: "FIRN_TOOL names no program: start this with Tools/measure large")
        }
        let folder = try Folder()
        defer { folder.remove() }
        let store = folder.path("Large.sqlite")
        try write(store)
        var table = TextTable(["", "seconds", "MB of memory"])
        for verb in ["info", "rebuild", "verify"] {
            let run = try MeasuredRun(tool, [verb, store])
            table.add(["firn \(verb)", String(format: "%.1f", run.seconds), "\(run.megabytes)"])
        }
        Figures.say(table.text)
    }

    private func write(_ path: String) throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Notes.model())
        let store = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: URL(fileURLWithPath: path),
            options: [PersistentStoreDurabilityOption: "system"])
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        let noise = Array(Samples.noise(2 * Self.rowSize).utf8)
        var table = TextTable(["MB written", "MB of memory", "most so far"])
        let start = ProcessMemory.reset()
        Figures.say(
            "\(Self.rowsASave) rows of \(Self.rowSize) bytes a save, one context with reset(); \(start) MB before\n")
        try context.performAndWait {
            var (row, written) = (0, 0)
            while written < Self.megabytes {
                let next = written + Self.megabytes / 8
                while row * Self.rowSize < next * 1_000_000 {
                    for _ in 0..<Self.rowsASave {
                        row += 1
                        // Rows that have nothing in common next to each other.
                        let start = row * 7919 % Self.rowSize
                        let text = String(decoding: noise[start..<start + Self.rowSize], as: UTF8.self)
                        Notes.insert("\(row) " + text, in: context)
                    }
                    try context.save()
                    context.reset()
                }
                written = next
                table.add(["\(written)", "\(ProcessMemory.now())", "\(ProcessMemory.peak())"])
            }
        }
        try coordinator.remove(store)
        Figures.say(table.text + "\n")
    }
}

/// A program that ran, and what it took.
private struct MeasuredRun {
    private(set) var seconds = 0.0
    /// The most that it held in memory.
    private(set) var megabytes = 0

    init(_ program: String, _ arguments: [String]) throws {
        var words = ([program] + arguments).map { strdup($0) }
        defer { for word in words { free(word) } }
        words.append(nil)
        var process: pid_t = 0
        var status: Int32 = 0
        seconds = try Timing.seconds {
            guard posix_spawn(&process, program, nil, nil, words, environ) == 0 else {
                throw Failure(description: "\(program) \(arguments) failed")
            }
            // Not what wait4 tells at the end: that counts what this process held when it started the other.
            while waitpid(process, &status, WNOHANG) == 0 {
                megabytes = max(megabytes, ProcessMemory.peak(of: "\(process)", running: program))
                usleep(5_000)
            }
            guard status == 0 else { throw Failure(description: "\(program) \(arguments) failed") }
        }
    }
}
