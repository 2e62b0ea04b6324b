import ArgumentParser
import FirnInspection
import FirnLog
import FirnProjection
import FirnStore
import Foundation

/// `firn restore`: the log of a store whose file was deleted comes back.
struct Restore: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Puts the log back that was set aside when the store's file was deleted.",
        discussion: """
            A program that opens a store whose file was deleted begins with a new store, and keeps the old log under \
            a name with the date: Library.sqlite.2026-11-26T15.30.02.123Z-log. This puts the last one back. The log \
            that is there now is set aside for it, so a second restore undoes the first. Programs that have the store \
            open must open it again. The tables are built when a program opens the store, or by firn rebuild.
            """)

    @OptionGroup var options: StoreOptions
    @Flag(help: "Write one JSON object.") var json = false

    func run() throws {
        if options.server != nil { try options.checkThere() }
        let result: (restored: SequenceNumber?, kept: StoreFiles.Kept?)?
        do {
            result = try StoreFiles(URL(fileURLWithPath: options.path)).restore()
        } catch {
            if error is LogError || error is ProjectionError { throw error }
            throw Failure((error as NSError).localizedDescription)
        }
        guard let (restored, kept) = result else {
            throw Failure("\(options.path): no log of this store was set aside")
        }
        let records = restored.map { "records through \($0) are" } ?? "the log, which cannot be read, is"
        let place = kept.map { $0.path + "-log" }
        let object: JSONObject = [
            "store": .text(options.path), "head": restored.map { .number($0.rawValue) }, "kept": place.map(JSON.text),
        ]
        Output.write(
            object, asJSON: json,
            [
                "\(options.path): \(records) back; the tables are built on opening",
                place.map { "the log that was in its place is kept as \($0)" },
            ])
    }
}
