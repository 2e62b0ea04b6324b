import FirnLog
import FirnProjection
import Foundation
import Testing

/// Groups of so many rows that one run of a statement inserts them.
@Suite("Many rows of a group")
struct ManyRowsTests {
    /// Each has one value, of every kind in turn.
    private static let rows: [[String: PropertyValue]] = RoundTripTests.values.flatMap { name, values in
        (values + [.null]).map { [name: $0] }
    }

    private static func group(_ rows: [[String: PropertyValue]], _ sample: Sample) -> ChangeGroup {
        let names = RoundTripTests.values.map(\.0) + ["best"]
        let groups = rows.enumerated().map { index, row in
            let all = Dictionary(uniqueKeysWithValues: names.map { ($0, row[$0] ?? .null) })
            return sample.schema.group(.insert, "Person", Int64(index + 1), all)
        }
        var whole = groups[0]
        for group in groups.dropFirst() {
            whole.primaryKeys += group.primaryKeys
            for column in whole.new.indices { whole.new[column].append(group.new[column][0]) }
        }
        return whole
    }

    @Test("come in as each of them does by itself, with every kind of value")
    func values() throws {
        let (together, single) = (try Sample(), try Sample())
        let dog = ObjectKey(entity: together.schema.named("Dog"), primaryKey: 7)
        let rows = Self.rows + [["score": .real(.nan)], ["best": .reference(dog)]]
        let whole = Self.group(rows, together)
        #expect(whole.primaryKeys.count > 20)
        try together.save([whole])
        try single.save(
            whole.primaryKeys.indices.map { row in
                var one = whole
                one.primaryKeys = [whole.primaryKeys[row]]
                one.new = whole.new.map { column in
                    var value = Column(column.type)
                    value.append(column[row])
                    return value
                }
                return one
            })
        #expect(try together.projection.dump() == single.projection.dump())
    }

    @Test("are refused if one of them is there already, which is named", arguments: [1, 5, 20])
    func refused(key: Int64) throws {
        let sample = try Sample()
        try sample.save([sample.schema.group(.insert, "Dog", key)])
        let dump = try sample.projection.dump()
        let group = ChangeGroup(
            entity: sample.schema.named("Dog"), operation: .insert, primaryKeys: Array(1...20), slots: [], new: [],
            old: [])
        let error = #expect(throws: ProjectionError.self) { try sample.save([group]) }
        #expect(error?.code == .inconsistent)
        let message = error.map { "\($0)" } ?? ""
        #expect(message.contains("inserts Dog \(key), which is there"), "\(message)")
        #expect(try sample.projection.dump() == dump)
    }

    @Test("stay in SQLite's write-ahead log until it is moved")
    func walPageCount() throws {
        let path = ProjectionTests.temporaryPath()
        defer { ProjectionTests.remove(path) }
        let sample = try Sample(.file(path))
        func size() throws -> Int { try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0 }
        try sample.save([sample.schema.group(.insert, "Person", 1)])
        #expect(!sample.projection.needsWALCheckpoint)
        let text = PropertyValue.text(String(repeating: "x", count: 1 << 23))
        try sample.save([sample.schema.group(.insert, "Person", 2, ["name": text])])
        #expect(sample.projection.needsWALCheckpoint)
        let before = try size()
        sample.projection.checkpointWAL()
        #expect(try size() >= before + 1 << 23)
        try sample.save([sample.schema.group(.insert, "Person", 3)])
        #expect(!sample.projection.needsWALCheckpoint)
    }

    @Test("are moved into a file that is written anew")
    func vacuum() throws {
        let path = ProjectionTests.temporaryPath()
        defer { ProjectionTests.remove(path) }
        let sample = try Sample(.file(path))
        let text = PropertyValue.text(String(repeating: "x", count: 1 << 23))
        try sample.save([sample.schema.group(.insert, "Person", 2, ["name": text])])
        try sample.projection.vacuum()
        let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
        #expect(size >= 1 << 23)
    }
}
