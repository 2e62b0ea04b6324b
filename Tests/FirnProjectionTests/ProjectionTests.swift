import FirnLog
import FirnProjection
import Foundation
import Synchronization
import Testing

@Suite("A projection")
struct ProjectionTests {
    static func temporaryPath() -> String {
        NSTemporaryDirectory() + "firn-projection-\(UUID().uuidString).sqlite"
    }

    static func remove(_ path: String) {
        for suffix in ["", "-wal", "-shm", ".rebuild", "-history", "-history-wal", "-history-shm"] {
            try? FileManager.default.removeItem(atPath: path + suffix)
        }
    }

    @Test("equals its rebuild at every sequence number", arguments: [1, 2, 3] as [UInt64])
    func rebuildEquals(seed: UInt64) throws {
        let sample = try Sample()
        var history = RandomHistory(sample.schema, seed: seed)
        for _ in 0..<40 {
            try sample.append(.changes(history.next()))
            let dump = try sample.projection.dump()
            #expect(try sample.rebuilt().dump() == dump, "seed \(seed), record \(sample.records.count)")
        }
    }

    @Test("in a file equals one in memory, also after it was rebuilt in place")
    func fileEqualsMemory() throws {
        let path = Self.temporaryPath()
        defer { Self.remove(path) }
        let sample = try Sample(.file(path))
        var history = RandomHistory(sample.schema, seed: 9)
        for _ in 0..<20 { try sample.append(.changes(history.next())) }
        let dump = try sample.projection.dump()
        #expect(try sample.rebuilt().dump() == dump)
        try sample.projection.rebuild { apply in
            for record in sample.records { try apply(record) }
        }
        #expect(try sample.projection.dump() == dump)
        try sample.append(.changes(history.next()))
        #expect(try sample.projection.dump() == sample.rebuilt().dump())
    }

    @Test("says when it is ready, behind, or of another store, model or format")
    func states() throws {
        let path = Self.temporaryPath()
        defer { Self.remove(path) }
        let schema = SampleModel.schema()
        func open(
            _ store: String = "S", model: SequenceNumber = 1, head: SequenceNumber = 2
        ) throws -> ProjectionState {
            try Projection.open(
                .file(path), schema: schema, storeID: store, modelSequence: model, head: head).1
        }
        #expect(try open() == .mustRebuild(.missing))
        let sample = try Sample(.file(path))
        try sample.save([schema.group(.insert, "Tag", 1, ["label": .text("x")])])
        #expect(try open() == .ready)
        #expect(try open(head: 3) == .behind)
        #expect(try open("T") == .mustRebuild(.otherStore("S")))
        #expect(try open(model: 3, head: 3) == .mustRebuild(.otherModel))
        let error = #expect(throws: ProjectionError.self) { try open(head: 1) }
        #expect(error?.code == .aheadOfLog)
    }

    @Test("asks where the log ends after it read its own checkpoint")
    func headComesLast() throws {
        let path = Self.temporaryPath()
        defer { Self.remove(path) }
        let schema = SampleModel.schema()
        let writer = try Sample(.file(path))
        /// What a log says that another program writes to meanwhile.
        func headAfterSave() throws -> SequenceNumber {
            try writer.save([schema.group(.insert, "Tag", 1, ["label": .text("x")])])
            return 2
        }
        let (projection, state) = try Projection.open(
            .file(path), schema: schema, storeID: "S", modelSequence: 1, head: try headAfterSave())
        #expect(state == .behind)
        #expect(projection.checkpoint < 2)
    }

    @Test("refuses a file that is not its own, and leaves it as it is")
    func foreignFiles() throws {
        let path = Self.temporaryPath()
        defer { Self.remove(path) }
        let schema = SampleModel.schema()
        func code() -> ProjectionError.Code? {
            let error = #expect(throws: ProjectionError.self) {
                try Projection.open(
                    .file(path), schema: schema, storeID: "S", modelSequence: 1, head: 0)
            }
            #expect(error?.path == path)
            return error?.code
        }
        let text = Data("This is a diary, not a database. ".utf8) + Data(count: 500)
        try text.write(to: URL(fileURLWithPath: path))
        #expect(code() == .notADatabase)
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == text)
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        #expect(code() == .unreadable)
    }

    @Test("takes a rolled-back transaction for one that never was")
    func rollback() throws {
        let sample = try Sample()
        let dump = try sample.projection.dump()
        try sample.projection.begin()
        let group = sample.schema.group(.insert, "Tag", 1)
        try sample.projection.apply(ChangeSet(model: 1, groups: [group]), at: 2)
        sample.projection.rollback()
        #expect(try sample.projection.dump() == dump)
        #expect(sample.projection.checkpoint == 1)
    }

    @Test("is free once another thread that writes is done, and not for the one that writes")
    func free() throws {
        let projection = try Sample().projection
        try projection.begin()
        #expect(!projection.isFree(waiting: 60))
        let (asks, answered) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let isFree = Mutex(false)
        Thread.detachNewThread {
            asks.signal()
            isFree.withLock { $0 = projection.isFree(waiting: 60) }
            answered.signal()
        }
        asks.wait()
        for _ in 0..<1000 { sched_yield() }
        projection.rollback()
        answered.wait()
        #expect(isFree.withLock { $0 })
    }

    @Test("knows the last primary key given, also after deletes, reservations and a rebuild")
    func keysForEver() throws {
        let sample = try Sample()
        let (dog, animal) = (sample.schema.named("Dog"), sample.schema.named("Animal"))
        let root = try #require(sample.schema.layout.place(dog)).root
        func last(_ projection: Projection) throws -> Int64? {
            try projection.begin()
            defer { projection.rollback() }
            return projection.lastKeys[root]
        }
        #expect(try last(sample.projection) == nil)
        try sample.save([sample.schema.group(.insert, "Dog", 4)])
        try sample.save([sample.schema.group(.delete, "Dog", 4)])
        #expect(try last(sample.projection) == 4)
        try sample.append(.reservation([animal: 10]))
        #expect(try last(sample.projection) == 10)
        #expect(try last(sample.rebuilt()) == 10)
    }

    @Test("refuses a record out of order and a change that does not fit")
    func refusals() throws {
        let sample = try Sample()
        func code(_ body: () throws -> Void) -> ProjectionError.Code? {
            #expect(throws: ProjectionError.self) { try body() }?.code
        }
        #expect(
            code {
                try sample.projection.begin()
                defer { sample.projection.rollback() }
                try sample.projection.apply(ChangeSet(model: 1), at: 7)
            } == .gap)
        #expect(code { try sample.save([sample.schema.group(.delete, "Dog", 4)]) } == .inconsistent)
        try sample.save([sample.schema.group(.insert, "Dog", 4)])
        #expect(code { try sample.save([sample.schema.group(.insert, "Dog", 4)]) } == .inconsistent)
        #expect(code { try sample.append(.changes(ChangeSet(model: 2))) } == .unknownModel)
        #expect(sample.projection.checkpoint == 2)
    }

    @Test("deletes rows in whatever order their keys come, and leaves those of other entities between them")
    func deletions() throws {
        let sample = try Sample()
        let (dogs, birds): ([Int64], [Int64]) = ([1, 2, 3, 5, 6, 9], [4, 7, 8])
        try sample.save(dogs.map { sample.schema.group(.insert, "Dog", $0) })
        try sample.save(birds.map { sample.schema.group(.insert, "Bird", $0) })
        try sample.save([deletion(of: [6, 1, 9, 3, 5], "Dog", sample)])
        let (dog, bird) = (sample.schema.named("Dog"), sample.schema.named("Bird"))
        let keys =
            dogs.map { ObjectKey(entity: dog, primaryKey: $0) } + birds.map { ObjectKey(entity: bird, primaryKey: $0) }
        let versions = try sample.projection.read { try $0.versions(of: keys) }
        #expect(versions == [nil, 2, nil, nil, nil, nil, 3, 3, 3])
        #expect(try sample.projection.dump() == sample.rebuilt().dump())
    }

    @Test("refuses to delete rows of which one is not there, is of another entity, or is named twice")
    func refusedDeletions() throws {
        let sample = try Sample()
        try sample.save([1, 2, 4].map { sample.schema.group(.insert, "Dog", $0) })
        try sample.save([sample.schema.group(.insert, "Bird", 3)])
        let dump = try sample.projection.dump()
        for keys in [[1, 2, 3, 4], [4, 5], [2, 1, 2]] as [[Int64]] {
            let error = #expect(throws: ProjectionError.self) {
                try sample.save([deletion(of: keys, "Dog", sample)])
            }
            #expect(error?.code == .inconsistent)
            #expect(try sample.projection.dump() == dump)
        }
    }

    private func deletion(of keys: [Int64], _ entity: String, _ sample: Sample) -> ChangeGroup {
        ChangeGroup(
            entity: sample.schema.named(entity), operation: .delete, primaryKeys: keys, slots: [], new: [], old: [])
    }

    @Test("refuses a row with values that is there already")
    func refusedValues() throws {
        let sample = try Sample()
        let values: [String: PropertyValue] = ["name": .text("Ada"), "age": .integer(36)]
        try sample.save([sample.schema.group(.insert, "Person", 1, values)])
        let error = #expect(throws: ProjectionError.self) {
            try sample.save([sample.schema.group(.insert, "Person", 1, values)])
        }
        #expect(error?.code == .inconsistent)
    }

    @Test("sets Z_OPT to the last change set that touched the row")
    func versions() throws {
        let sample = try Sample()
        try sample.save([
            sample.schema.group(.insert, "Person", 1), sample.schema.group(.insert, "Person", 2),
        ])
        // A to-many that was touched has no column, but counts.
        try sample.save([sample.schema.group(.update, "Person", 2, ["tags": .null])])
        let person = sample.schema.named("Person")
        let versions = try sample.projection.read {
            try $0.versions(of: [1, 2, 3].map { ObjectKey(entity: person, primaryKey: $0) })
        }
        #expect(versions == [2, 3, nil])
    }
}
