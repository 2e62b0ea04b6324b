import CoreData
import Foundation
import SystemSQLite

/// The words of a history, asked for in its file as any program does, next to a plain table of FTS5.
extension Workload {
    static var words: Workload {
        Workload(
            name: "words", suite: .log,
            summary: "a million texts: the history file made of them, and 200 words found, the best 20 of each",
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
                    let all = trial.count(Notes.count)
                    let path = try Notes.fill(trial, upTo: all - Notes.each)
                    // The last save, after which the file is made, and is there when the store is closed.
                    try trial.measure { _ = try Notes.fill(trial, from: all - Notes.each, upTo: all, .always) }
                    trial.figures["made, seconds"] = trial.seconds
                    try Notes.ask(RawDatabase(path + "-history"), "value", "firn_texts", "text", trial)
                },
            ])
    }
}

/// The words of the present, asked for by `TOKENMATCHES`, next to a plain table with an index of FTS5.
extension Workload {
    static var searchable: Workload {
        Workload(
            name: "searchable", suite: .log,
            summary: "a million searchable texts saved, 200 words counted, and the best 20 of 20 rare words",
            goals: [.figureRatio(name: "saved, seconds", atMost: 1.3, of: "raw")],
            sides: [
                Side("raw") { trial in
                    let database = try RawDatabase(trial.path("raw.sqlite"))
                    try database.execute("CREATE TABLE note(id INTEGER PRIMARY KEY, text TEXT)")
                    try database.execute(
                        "CREATE VIRTUAL TABLE words USING fts5(text, content = 'note', content_rowid = 'id')")
                    try trial.measure {
                        let insertion = try database.prepare("INSERT INTO note(text) VALUES (?1)")
                        let indexing = try database.prepare(
                            "INSERT INTO words(rowid, text) VALUES (last_insert_rowid(), ?1)")
                        for first in stride(from: 0, to: trial.count(Notes.count), by: Notes.each) {
                            try database.transaction {
                                for number in first..<min(first + Notes.each, trial.count(Notes.count)) {
                                    for statement in [insertion, indexing] {
                                        statement.bind(Notes.text(number), 1)
                                        try statement.run()
                                    }
                                }
                            }
                        }
                    }
                    trial.figures["saved, seconds"] = trial.seconds
                    let all = try database.prepare(
                        "SELECT count(*) FROM note WHERE id IN (SELECT rowid FROM words WHERE words MATCH ?1)")
                    try Notes.count(trial) { word in
                        all.bind(word, 1)
                        defer { all.reset() }
                        _ = try all.step()
                        return Int(all.integer(0))
                    }
                    let best = try database.prepare(
                        "SELECT n.text FROM words w JOIN note n ON n.id = w.rowid WHERE words MATCH ?1 "
                            + "ORDER BY w.rank LIMIT 20")
                    try Notes.rank(trial) { word in
                        best.bind(word, 1)
                        while try best.step() {}
                        best.reset()
                    }
                },
                Side("firn", Notes.saveAndAsk),
            ])
    }
}

private enum Notes {
    static let count = 1_000_000
    /// Notes of one transaction.
    static let each = 1_000
    private static let vocabulary = 2_000
    private static let asked = 200

    static func model(isSearchable: Bool = false) -> NSManagedObjectModel {
        let text = NSAttributeDescription()
        text.name = "text"
        if isSearchable { text.userInfo = ["searchable": "YES"] }
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

    /// Saves notes in a store that is closed then. Returns its path.
    static func fill(
        _ trial: Trial, from start: Int = 0, upTo end: Int, _ history: HistoryTables = .onUse
    ) throws -> String {
        let container = try FirnStores.container(trial, model(), historyTables: history)
        let coordinator = container.persistentStoreCoordinator
        let context = container.newBackgroundContext()
        try context.performAndWait { try save(start..<end, in: context) }
        let path = coordinator.persistentStores.first?.url?.path ?? ""
        for store in coordinator.persistentStores { try coordinator.remove(store) }
        return path
    }

    private static func save(_ numbers: Range<Int>, in context: NSManagedObjectContext) throws {
        for first in stride(from: numbers.lowerBound, to: numbers.upperBound, by: each) {
            for number in first..<min(first + each, numbers.upperBound) {
                let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
                note.setValue(text(number), forKey: "text")
            }
            try context.save()
            context.reset()
        }
    }

    static func saveAndAsk(_ trial: Trial) throws {
        let container = try FirnStores.container(trial, model(isSearchable: true))
        let context = container.newBackgroundContext()
        try context.performAndWait {
            try trial.measure {
                try save(0..<trial.count(count), in: context)
                _ = try context.count(for: request())
            }
            trial.figures["saved, seconds"] = trial.seconds
            func search(_ word: String) -> NSFetchRequest<NSManagedObject> {
                let search = request()
                search.predicate = NSPredicate(format: "text TOKENMATCHES[cd] %@", word)
                return search
            }
            try Self.count(trial) { try context.count(for: search($0)) }
            try rank(trial) { word in
                let best = search(word)
                best.sortDescriptors = [NSSortDescriptor(key: "text", rankOf: word)]
                best.fetchLimit = 20
                _ = try context.fetch(best)
            }
        }
    }

    /// Counts the texts with words, rare and frequent.
    static func count(_ trial: Trial, _ texts: (String) throws -> Int) throws {
        let start = ContinuousClock.now
        for number in 0..<asked {
            trial.digest.add(Int64(number) << 32 | Int64(try texts(word(number * vocabulary / asked))))
        }
        trial.figures["a count, milliseconds"] = (ContinuousClock.now - start) / .milliseconds(1) / Double(asked)
    }

    /// Asks for the best texts of rare words, some 50 to 60 texts each.
    static func rank(_ trial: Trial, _ best: (String) throws -> Void) throws {
        let start = ContinuousClock.now
        for number in 0..<20 { try best(word(vocabulary - 1 - number * 10)) }
        trial.figures["best 20, milliseconds"] = (ContinuousClock.now - start) / .milliseconds(1) / 20
    }

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
