import CoreData
import Foundation

/// Memory that a large store takes: written through one context that is reset after each save, then by each verb of the
/// tool that reads all of it or writes it again. It needs no server.
///
///     FIRN_TOOL    the tool's program
struct LargeStore {
    /// Megabytes of texts in all, and bytes of each.
    private let megabytes: Int
    private let rowSize: Int

    /// - Parameter words: megabytes, then bytes a row.
    init(_ words: [String]) {
        megabytes = words.first.flatMap(Int.init) ?? 2_000
        rowSize = max(words.dropFirst().first.flatMap(Int.init) ?? 26_000, 100)
    }

    func print() throws {
        guard let tool = ProcessInfo.processInfo.environment["FIRN_TOOL"] else {
            throw Failure(description: "FIRN_TOOL names no program: start this with Tools/measure large")
        }
        let folder = try Folder()
        defer { folder.remove() }
        let (store, copy) = (folder.path("Large.sqlite"), folder.path("Copy.sqlite"))
        let saves = try write(store)
        var table = TextTable(["", "seconds", "MB of memory"])
        let exported = folder.path("export.jsonl")
        let runs = [
            (["info", store], nil), (["stats", store], nil), (["verify", store], nil), (["rebuild", store], nil),
            (["pack", store, "--all"], nil), (["erase", store, "Note/1"], nil),
            (["export", store], exported), (["trim", store, "--keep", "\(saves / 2)"], nil),
            (["import-changes", copy, "--model", store, exported], nil),
        ]
        for (arguments, output) in runs {
            let run = try MeasuredRun(tool, arguments, output: output ?? "/dev/null")
            table.add(["firn \(arguments[0])", String(format: "%.1f", run.seconds), "\(run.megabytes)"])
            Figures.complain("\(arguments[0]): \(run.seconds) s, \(run.megabytes) MB")
        }
        Figures.say(table.text)
    }

    /// Gives the number of saves.
    private func write(_ path: String) throws -> Int {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Notes.model())
        let store = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: URL(fileURLWithPath: path),
            options: [PersistentStoreDurabilityOption: "system"])
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        let noise = Array(Samples.noise(2 * max(rowSize, 100_000)).utf8)
        var table = TextTable(["MB written", "MB of memory", "most so far"])
        let start = ProcessMemory.reset()
        // 2.6 MB, and at most 1,000 objects.
        let rowsASave = min(max(2_600_000 / rowSize, 1), 1_000)
        Figures.say("\(rowsASave) rows of \(rowSize) bytes a save, one context with reset(); \(start) MB before\n")
        var saves = 0
        try context.performAndWait {
            var (row, written) = (0, 0)
            while written < megabytes {
                let next = written + max(megabytes / 8, 1)
                while row * rowSize < next * 1_000_000 {
                    for _ in 0..<rowsASave {
                        row += 1
                        // Rows that have nothing in common next to each other.
                        let start = row * 7919 % (noise.count - rowSize)
                        let text = String(decoding: noise[start..<start + rowSize], as: UTF8.self)
                        Notes.insert("\(row) " + text, in: context)
                    }
                    try context.save()
                    context.reset()
                    saves += 1
                }
                written = next
                table.add(["\(written)", "\(ProcessMemory.now())", "\(ProcessMemory.peak())"])
            }
        }
        try coordinator.remove(store)
        Figures.say(table.text + "\n")
        return saves
    }
}

/// A program that ran, and what it took.
private struct MeasuredRun {
    private(set) var seconds = 0.0
    /// The most that it held in memory.
    private(set) var megabytes = 0

    init(_ program: String, _ arguments: [String], output: String) throws {
        var words = ([program] + arguments).map { strdup($0) }
        defer { for word in words { free(word) } }
        words.append(nil)
        var process: pid_t = 0
        var status: Int32 = 0
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        seconds = try Timing.seconds {
            guard posix_spawn(&process, program, &actions, nil, words, environ) == 0 else {
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
