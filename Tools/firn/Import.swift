import ArgumentParser
import Firn
import FirnImport
import FirnInspection
import Foundation

/// `firn import`: a store of a store that Apple's Core Data wrote.
struct Import: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Converts a SQLite store that Apple's Core Data wrote.",
        discussion: """
            OLD is the SQLite file; its -wal and its folder of external data are read too, and nothing is changed. \
            Close the program that uses it first. STORE must not be there yet. It gets the old store's UUID and keys, \
            its metadata and its persistent history, with dates, authors and contexts.

            The model is the one that the store carries. Where it carries none, name an .xcdatamodeld, .xcdatamodel, \
            .momd or .mom: the version that fits is used.

            A failed import leaves nothing behind.
            """)

    @Argument(help: "The store that Core Data wrote.", completion: .file()) var old: String
    @Argument(help: "The store to make, for example Library.sqlite.") var store: String
    @Option(help: "The model that the old store was written with.", completion: .file()) var model: String?
    @Flag(help: "Make values nil whose files of external data are missing.") var skipMissing = false
    @Flag(help: "Write one JSON object.") var json = false

    func run() throws {
        var work = AppleStoreImport(
            from: URL(fileURLWithPath: old), to: URL(fileURLWithPath: store),
            modelURL: model.map { URL(fileURLWithPath: $0) })
        work.skipsMissingExternalData = skipMissing
        let steps = 100.0
        let shown = Shown()
        work.progress = { shown.update(UInt64($0 * steps), of: UInt64(steps)) }
        defer { shown.finish() }
        let report = try work.run()
        Output.write(object(report), asJSON: json, lines(report))
    }

    /// The bar; the import calls from one thread.
    private final class Shown: @unchecked Sendable {
        private var progress = Progress("importing, percent")

        func update(_ done: UInt64, of total: UInt64) { progress.update(done, of: total) }
        func finish() { progress.finish() }
    }

    private func lines(_ report: AppleStoreImport.Report) -> [String] {
        let counts = report.objectCounts.sorted { $0.key < $1.key }
        let history =
            report.transactionCount == 0
            ? "no history"
            : Counted.text(report.transactionCount, "transaction") + " with "
                + Counted.text(report.changeCount, "change")
        return [
            "\(store): \(Counted.text(counts.reduce(0) { $0 + $1.value }, "object")), "
                + "\(Counted.text(report.linkCount, "link")), "
                + "\(Counted.text(report.externalValueCount, "external value")), \(history)"
        ] + counts.map { "  \(Console.printable($0.key)) \($0.value)" }
            + report.notes.map { "note: " + Console.printable($0) }
    }

    private func object(_ report: AppleStoreImport.Report) -> JSONObject {
        return [
            "store": .text(store), "uuid": .text(report.storeID.uuidString),
            "objects": .object(JSONObject(report.objectCounts.mapValues { .number($0) })),
            "links": .number(report.linkCount), "externalValues": .number(report.externalValueCount),
            "transactions": .number(report.transactionCount), "changes": .number(report.changeCount),
            "head": .number(report.head), "notes": .array(report.notes.map { .text($0) }),
        ]
    }
}
