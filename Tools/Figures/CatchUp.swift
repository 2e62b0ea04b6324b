import CoreData
import FirnLog
import FirnPostgres
import Foundation

/// How fast a new machine gets a store.
struct CatchUp {
    let server: String

    private static let saves = 200
    private static let objects = 1000
    private static let rounds = 3

    func print() throws {
        let address = Figures.newStore(server)
        let machine = try Machine(address)
        for save in 0..<Self.saves {
            try machine.context.performAndWait {
                let rows = (0..<Self.objects).map { ["text": "note \(save) \($0)", "count": $0] as [String: Any] }
                _ = try machine.context.execute(NSBatchInsertRequest(entityName: "Note", objects: rows))
            }
        }
        guard let place = PostgresAddress(address) else { throw Failure(description: "no address") }
        let changes = Double(Self.saves * Self.objects * 2)
        var (read, copied, opened): ([Double], [Double], [Double]) = ([], [], [])
        for _ in 0..<Self.rounds {
            read.append(try Timing.seconds { try decodeAll(PostgresLog.open(at: place)) })
            let folder = try Folder()
            defer { folder.remove() }
            copied.append(
                try Timing.seconds {
                    try SharedCopy.open(
                        of: Upstream(address), directory: folder.path("copy"), date: Samples.date
                    ).close()
                })
            opened.append(try Timing.seconds { _ = try Machine(address) })
        }
        let what = "catching up with \(Int(changes)) property changes in \(Self.saves) records"
        var table = TextTable([what, "s", "a second"])
        for (name, times) in [
            ("read, checked and decoded", read), ("brought into a copy of the log", copied),
            ("a new machine, with its tables", opened),
        ] {
            table.add([name, String(format: "%.3f", times.median), "\(Int(changes / times.median))"])
        }
        Figures.say("\(table.text)\n")
        try large()
    }

    private func decodeAll(_ log: PostgresLog) throws {
        defer { log.close() }
        var place = try log.beginning()
        let decoder = FrameDecoder()
        while true {
            let run = try log.frames(after: place, sizeMax: 1 << 20)
            if run.isEmpty { return }
            _ = try decoder.records(run, place: log.place)
            place = run.end
        }
    }

    private func large() throws {
        // What is a million bytes apart, the compressor does not find again.
        let text = String(repeating: Samples.noise(1_000_000), count: 100)
        let address = Figures.newStore(server)
        let machine = try Machine(address)
        let save = try Timing.seconds { try machine.addNote(text) }
        let open = try Timing.seconds { _ = try Machine(address) }
        Figures.say(
            String(format: "A record of 100 MB: saved in %.2f s, brought by another machine in %.2f s\n", save, open))
    }
}
