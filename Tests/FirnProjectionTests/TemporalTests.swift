import FirnLog
import FirnProjection
import FirnSQLite
import Foundation
import Synchronization
import TestSupport
import Testing

@Suite("A temporal projection")
struct TemporalTests {
    private func temporal(_ sample: Sample, _ location: ProjectionLocation = .memory) throws
        -> TemporalProjection
    {
        let temporal = try TemporalProjection(
            location, schema: sample.schema, storeID: "S", modelSequence: 1)
        try temporal.catchUp { after, apply in
            for record in sample.records where record.sequence > after { try apply(record) }
        }
        return temporal
    }

    @Test("shows at each sequence number what the projection was then", arguments: [4, 5] as [UInt64])
    func everySequenceNumber(seed: UInt64) throws {
        let sample = try Sample()
        var history = RandomHistory(sample.schema, seed: seed)
        for _ in 0..<30 { try sample.append(.changes(history.next())) }
        let temporal = try temporal(sample)
        for count in 1...sample.records.count {
            let then = try sample.rebuilt(upTo: count).dumpTables()
            let now = try temporal.read(at: SequenceNumber(UInt64(count))) { try $0.dumpTables() }
            #expect(now == then, "seed \(seed), as of \(count)")
        }
    }

    @Test("goes through many eras without losing or inventing a row", arguments: [8, 9] as [UInt64])
    func eras(seed: UInt64) throws {
        let sample = try Sample()
        var history = RandomHistory(sample.schema, seed: seed)
        for _ in 0..<400 { try sample.append(.changes(history.next())) }
        let temporal = try temporal(sample)
        for count in stride(from: 7, through: sample.records.count, by: 19) {
            let then = try sample.rebuilt(upTo: count).dumpTables()
            let now = try temporal.read(at: SequenceNumber(UInt64(count))) { try $0.dumpTables() }
            #expect(now == then, "seed \(seed), as of \(count)")
        }
    }

    @Test("Many records are applied with a bounded write-ahead log")
    func boundedLog() throws {
        let path = ProjectionTests.temporaryPath()
        defer { ProjectionTests.remove(path) }
        let sample = try Sample()
        let text = PropertyValue.text(String(repeating: "x", count: 1 << 20))
        for key in 1...100 { try sample.save([sample.schema.group(.insert, "Tag", Int64(key), ["label": text])]) }
        let temporal = try temporal(sample, .file(path))
        let size = try FileManager.default.attributesOfItem(atPath: path + "-wal")[.size] as? Int ?? 0
        #expect(size < 100 << 20)
        #expect(try temporal.read(at: 101) { try $0.dumpTables() } == sample.projection.dumpTables())
    }

    @Test("is made by two programs at once, each of which continues where the other one has come to")
    func together() throws {
        let path = ProjectionTests.temporaryPath()
        defer { ProjectionTests.remove(path) }
        let sample = try Sample()
        let text = PropertyValue.text(String(repeating: "x", count: 1 << 20))
        for key in 1...24 { try sample.save([sample.schema.group(.insert, "Tag", Int64(key), ["label": text])]) }
        let programs = try (0..<2).map { _ in
            try TemporalProjection(
                .file(path), schema: sample.schema, storeID: "S", modelSequence: 1, needsWords: true)
        }
        let applied = Atomic(0)
        let isOver = Atomic(false)
        let failures = Mutex<[String]>([])
        runThreads(2) { [records = sample.records] number in
            do {
                if number == 0 {
                    defer { isOver.store(true, ordering: .releasing) }
                    return try programs[0].catchUp { after, apply in
                        for record in records where record.sequence > after {
                            applied.add(1, ordering: .releasing)
                            try apply(record)
                        }
                    }
                }
                // Applies one record whenever the first program is between two transactions.
                let connection = try Connection(.file(path), mode: .readWrite)
                connection.setBusyTimeout(milliseconds: 0)
                var seen = 0
                while !isOver.load(ordering: .acquiring) {
                    let count = applied.load(ordering: .acquiring)
                    guard count > seen, (try? connection.begin(.immediate)) != nil else { continue }
                    connection.rollback()
                    try programs[1].catchUp { after, apply in
                        if let next = records.first(where: { $0.sequence == after.next }) { try apply(next) }
                    }
                    seen = count
                }
            } catch {
                failures.withLock { $0.append("\(error)") }
            }
        }
        #expect(failures.withLock { $0 } == [])
        let connection = try Connection(.file(path), mode: .readOnly)
        #expect(try connection.integer("SELECT count(*) FROM firn_text_values WHERE to_record IS NULL") == 24)
    }

    @Test("looks among a bounded number of versions, however often a row was changed")
    func boundedEras() throws {
        let path = ProjectionTests.temporaryPath()
        defer { ProjectionTests.remove(path) }
        let sample = try Sample()
        try sample.save((1...10).map { sample.schema.group(.insert, "Person", $0, ["name": .text("\($0)")]) })
        for change in 0..<1000 {
            try sample.save([sample.schema.group(.update, "Person", 3, ["name": .text("change \(change)")])])
        }
        let temporal = try temporal(sample, .file(path))
        let sizes = try Connection(.file(path), mode: .readOnly).withStatement(
            "SELECT copied + added FROM firn_eras"
        ) { statement in
            var sizes: [Int64] = []
            while try statement.step() { sizes.append(statement.integer(0)) }
            return sizes
        }
        #expect(sizes.count > 10 && (sizes.max() ?? 0) <= 10 + 64 + 1)
        #expect(try temporal.read(at: 500) { try $0.dumpTables() } == sample.rebuilt(upTo: 500).dumpTables())
    }

    @Test(
        "answers the same from the versions of all rows and from tables that were copied for a point",
        arguments: [14, 15] as [UInt64])
    func snapshots(seed: UInt64) throws {
        let path = ProjectionTests.temporaryPath()
        defer { ProjectionTests.remove(path) }
        let sample = try Sample()
        var history = RandomHistory(sample.schema, seed: seed)
        for _ in 0..<300 { try sample.append(.changes(history.next())) }
        let temporal = try temporal(sample, .file(path))
        for count in stride(from: 1, through: sample.records.count, by: 23) {
            let then = try temporal.read(at: SequenceNumber(UInt64(count))) { try $0.dumpTables() }
            let copied = try #require(try temporal.snapshot(at: SequenceNumber(UInt64(count))))
            #expect(try copied.read { try $0.dumpTables() } == then, "seed \(seed), as of \(count)")
        }
    }

    @Test("in a file is caught up from its checkpoint when it is opened again")
    func catchUp() throws {
        let path = ProjectionTests.temporaryPath()
        defer { ProjectionTests.remove(path) }
        let sample = try Sample()
        var history = RandomHistory(sample.schema, seed: 6)
        for _ in 0..<5 { try sample.append(.changes(history.next())) }
        #expect(try temporal(sample, .file(path)).checkpoint == 6)
        try sample.append(.changes(history.next()))
        let temporal = try temporal(sample, .file(path))
        #expect(temporal.checkpoint == 7)
        #expect(try temporal.read(at: 7) { try $0.dumpTables() } == sample.projection.dumpTables())
        #expect(try temporal.read(at: 3) { try $0.dumpTables() } == sample.rebuilt(upTo: 3).dumpTables())
    }

    @Test("answers for rows, members and versions as of then")
    func readers() throws {
        let sample = try Sample()
        let (person, dog) = (sample.schema.named("Person"), sample.schema.named("Dog"))
        let ada = ObjectKey(entity: person, primaryKey: 1)
        try sample.save([
            sample.schema.group(.insert, "Person", 1, ["name": .text("Ada")]),
            sample.schema.group(
                .insert, "Dog", 1, ["owner": .reference(ada), "Z_ORD_owner": .integer(1)]),
        ])
        try sample.save([
            sample.schema.group(.update, "Person", 1, ["name": .text("Ann")]),
            sample.schema.group(
                .insert, "Dog", 2, ["owner": .reference(ada), "Z_ORD_owner": .integer(0)]),
        ])
        try sample.save([sample.schema.group(.delete, "Person", 1, ["name": .text("Ann")])])
        let temporal = try temporal(sample)
        let pets = Int(sample.schema.slot(person, "pets"))
        let name = Int(sample.schema.slot(person, "name"))
        func look(_ sequence: SequenceNumber) throws -> (PropertyValue?, [Int64], [Int64?]) {
            try temporal.read(at: sequence) { reader in
                #expect(try reader.checkpoint == sequence)
                return (
                    try reader.row(ada).map { $0.batch.value(at: $0.row, slot: name) },
                    try reader.members(of: ada, slot: pets).map(\.primaryKey),
                    try reader.versions(of: [ada, ObjectKey(entity: dog, primaryKey: 2)])
                )
            }
        }
        #expect(try look(2) == (.text("Ada"), [1], [2, nil]))
        #expect(try look(3) == (.text("Ann"), [2, 1], [3, 3]))
        #expect(try look(4).0 == nil)
    }
}
