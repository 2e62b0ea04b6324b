import CoreData
import FirnLog
import FirnPostgres
import Foundation

/// Appends and saves a second, by one writer and by eight, small and large, each kind in turn.
struct AppendRates {
    let server: String

    private static let rounds = 3

    private struct Kind {
        let name: String
        let rate: (_ writers: Int, _ text: String) throws -> Double
    }

    func print() throws {
        let plain = try PlainTable(server)
        defer { plain.remove() }
        let kinds = [
            Kind(name: "plain INSERT") { try plain.rate($0, size: $1.utf8.count) },
            Kind(name: "one machine's copy", rate: copy),
            Kind(name: "a connection each", rate: connections),
            Kind(name: "a store each", rate: stores),
            Kind(name: "log in segments", rate: segments),
            Kind(name: "saves, shared store") { try saves($0, $1, shared: true) },
            Kind(name: "saves, store of its own") { try saves($0, $1, shared: false) },
        ]
        var table = TextTable(["a second (copy / INSERT)"] + kinds.map(\.name))
        for size in [300, 65536] {
            let text = Samples.noise(size)
            for writers in [1, 8] {
                var rates = kinds.map { _ in [Double]() }
                for _ in 0..<Self.rounds {
                    for (index, kind) in kinds.enumerated() { rates[index].append(try kind.rate(writers, text)) }
                }
                let ratio = String(format: "%.2f", rates[1].median / rates[0].median)
                let name = "\(size == 300 ? "300 B" : "64 KiB"), \(writers) (\(ratio))"
                table.add([name] + rates.map { "\(Int($0.median))" })
            }
        }
        Figures.say("Appends a second, medians of \(Self.rounds) rounds\n\n\(table.text)\n")
    }

    /// Writers of one machine, who share its copy of the log.
    private func copy(_ writers: Int, _ text: String) throws -> Double {
        let folder = try Folder()
        defer { folder.remove() }
        let log = try SharedCopy.open(
            of: Upstream(Figures.newStore(server)), directory: folder.path("copy"), date: Samples.date)
        defer { log.close() }
        return try Timing.rate(writers) { _ in
            {
                let record = Samples.record(text)
                try log.exclusively { _ = try log.append(record.body, header: record.header) }
            }
        }
    }

    /// Writers of as many machines, who overtake each other.
    private func connections(_ writers: Int, _ text: String) throws -> Double {
        guard let address = PostgresAddress(Figures.newStore(server)) else { throw Failure(description: "no address") }
        let log = try PostgresLog.create(at: address, storeID: .random())
        defer { log.close() }
        return try Timing.rate(writers) { _ in appending(text, to: try PostgresLog.open(at: address)) }
    }

    private func stores(_ writers: Int, _ text: String) throws -> Double {
        try Timing.rate(writers) { [server] _ in
            guard let address = PostgresAddress(Figures.newStore(server)) else {
                throw Failure(description: "no address")
            }
            return appending(text, to: try PostgresLog.create(at: address, storeID: .random()))
        }
    }

    private func segments(_ writers: Int, _ text: String) throws -> Double {
        let folder = try Folder()
        defer { folder.remove() }
        let log = try SegmentLog.create(directory: folder.path("log"), storeID: .random(), date: Samples.date)
        defer { log.close() }
        return try Timing.rate(writers) { _ in
            {
                let record = Samples.record(text)
                let sequence = try log.exclusively { try log.append(record.body, header: record.header) }
                try log.acknowledge(through: sequence)
            }
        }
    }

    /// Contexts of one coordinator, with an object a save.
    private func saves(_ writers: Int, _ text: String, shared: Bool) throws -> Double {
        let machine = try Machine(shared ? Figures.newStore(server) : nil)
        return try Timing.rate(writers) { _ in
            let context = machine.newContext()
            return {
                try context.performAndWait {
                    Notes.insert(text, in: context)
                    try context.save()
                    context.reset()
                }
            }
        }
    }
}

/// Appends a record where the log ends, and again when another writer is faster.
private func appending(_ text: String, to log: PostgresLog) -> () throws -> Void {
    let encoder = FrameEncoder()
    var known: LogCheckpoint?
    return {
        while true {
            let end = try known ?? log.end()
            let run = try encoder.run([Samples.record(text)], after: end)
            guard case .conflict = try log.append(run) else {
                known = run.end
                return
            }
            known = nil
        }
    }
}
