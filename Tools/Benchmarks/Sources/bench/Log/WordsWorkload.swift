import CoreData
import Foundation
import SystemSQLite

/// The words of a history, asked for in its file as any program does, next to a plain table of FTS5.
extension Workload {
    static var words: Workload {
        Workload(
            name: "words", suite: .log,
            summary: "200,000 texts: the history file made of them, and 200 words found, the best 20 of each",
            goals: [
                .figureRatio(name: "made, seconds", atMost: 1.3, of: "raw"),
                .figureRatio(name: "a word, milliseconds", atMost: 1.1, of: "raw"),
            ],
            sides: [
                Side("raw") { trial in
                    let database = try RawDatabase(trial.path("raw.sqlite"))
                    try database.execute(
                        "CREATE VIRTUAL TABLE note USING fts5(text, tokenize = 'unicode61 remove_diacritics 2')")
                    try trial.measure {
                        let insertion = try database.prepare("INSERT INTO note(text) VALUES (?1)")
                        for first in stride(from: 0, to: trial.count(Notes.count), by: Notes.each) {
                            try database.transaction {
                                for number in first..<min(first + Notes.each, trial.count(Notes.count)) {
                                    insertion.bind(Notes.text(number), 1)
                                    try insertion.run()
                                }
                            }
                        }
                    }
                    trial.figures["made, seconds"] = trial.seconds
                    try Notes.ask(database, "text", "note", "note", trial)
                },
                Side("firn") { trial in
                    let container = try FirnStores.container(trial, Notes.model())
                    let context = container.newBackgroundContext()
                    try context.performAndWait {
                        for first in stride(from: 0, to: trial.count(Notes.count), by: Notes.each) {
                            for number in first..<min(first + Notes.each, trial.count(Notes.count)) {
                                let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
                                note.setValue(Notes.text(number), forKey: "text")
                            }
                            try context.save()
                            context.reset()
                        }
                    }
                    // The first look at the past makes the file.
                    try trial.measure {
                        let past = try container.newContext(asOf: .date(Date()))
                        _ = try past.performAndWait { try past.count(for: Notes.request()) }
                    }
                    trial.figures["made, seconds"] = trial.seconds
                    let path = container.persistentStoreCoordinator.persistentStores.first?.url?.path ?? ""
                    try Notes.ask(RawDatabase(path + "-history"), "value", "firn_texts", "text", trial)
                },
            ])
    }
}

private enum Notes {
    static let count = 200_000
    /// Notes of one transaction.
    static let each = 1_000
    private static let vocabulary = 2_000
    private static let asked = 200

    static func model() -> NSManagedObjectModel {
        let text = NSAttributeDescription()
        text.name = "text"
        text.attributeType = .stringAttributeType
        let note = NSEntityDescription()
        note.name = "Note"
        note.properties = [text]
        let model = NSManagedObjectModel()
        model.entities = [note]
        return model
    }

    static func request() -> NSFetchRequest<NSManagedObject> { NSFetchRequest(entityName: "Note") }

    /// Rare words and frequent ones, as the square of a number that is spread evenly.
    static func text(_ number: Int) -> String {
        (0..<8).map { place in
            let mixed = UInt64(number * 8 + place + 1) &* 0x9E37_79B9_7F4A_7C15
            let even = Double(mixed >> 11) / Double(1 << 53)
            return word(Int(even * even * Double(vocabulary)))
        }.joined(separator: " ")
    }

    private static func word(_ number: Int) -> String { "w" + String(number, radix: 26) + "ord" }

    /// Asks for words, rare and frequent.
    static func ask(
        _ database: RawDatabase, _ value: String, _ table: String, _ column: String, _ trial: Trial
    ) throws {
        let best = try database.prepare("SELECT \(value) FROM \(table) WHERE \(column) MATCH ?1 ORDER BY rank LIMIT 20")
        let start = ContinuousClock.now
        for number in 0..<asked {
            best.bind(word(number * vocabulary / asked), 1)
            while try best.step() {}
            best.reset()
        }
        trial.figures["a word, milliseconds"] = (ContinuousClock.now - start) / .milliseconds(1) / Double(asked)
        let all = try database.prepare("SELECT count(*) FROM \(table) WHERE \(column) MATCH ?1")
        for number in 0..<asked {
            all.bind(word(number * vocabulary / asked), 1)
            _ = try all.step()
            trial.digest.add(Int64(number) << 32 | all.integer(0))
            all.reset()
        }
    }
}
