import CoreData
import Foundation

/// What cutting off the history of a large shared store takes: its baseline is made in memory.
struct Upkeep {
    let server: String

    private static let notes = 2000
    private static let noteSize = 50_000

    func print() throws {
        let machine = try Machine(Figures.newStore(server))
        try machine.context.performAndWait {
            for note in 0..<Self.notes {
                Notes.insert("\(note) " + Samples.noise(Self.noteSize + note), in: machine.context)
                if note % 100 == 99 {
                    try machine.context.save()
                    machine.context.reset()
                }
            }
        }
        let before = ProcessMemory.reset()
        let time = try Timing.seconds {
            let retention = HistoryRetention(transactionCountMax: 1)
            _ = try machine.coordinator.trimHistory(keeping: retention, ignoringSubscriptions: true)
        }
        let megabytes = Self.notes * Self.noteSize / 1_000_000
        Figures.say(
            String(format: "History of a shared store of %d MB cut off in %.1f s, ", megabytes, time)
                + "with \(ProcessMemory.peak() - before) MB more than before\n")
    }
}

/// https://man7.org/linux/man-pages/man5/proc_pid_status.5.html
enum ProcessMemory {
    /// Resets the kernel's peak; the memory in use now, in MB.
    static func reset() -> Int {
        if let file = FileHandle(forWritingAtPath: "/proc/self/clear_refs") {
            try? file.write(contentsOf: Data("5".utf8))
        }
        return status("VmRSS:")
    }

    /// What is held now, in MB.
    static func now() -> Int { status("VmRSS:") }

    /// The most that was held since, in MB.
    static func peak() -> Int { status("VmHWM:") }

    /// The most that another process held, in MB; zero while it does not run this program yet.
    static func peak(of process: String, running program: String) -> Int {
        let running = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(process)/exe")
        let name = URL(fileURLWithPath: program).lastPathComponent
        guard let running, URL(fileURLWithPath: running).lastPathComponent == name else { return 0 }
        return status("VmHWM:", of: process)
    }

    private static func status(_ name: String, of process: String = "self") -> Int {
        let text = (try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)) ?? ""
        let line = text.split(separator: "\n").first { $0.hasPrefix(name) } ?? ""
        return (Int(line.filter(\.isNumber)) ?? 0) / 1000
    }
}
