import FirnLog
import FirnProjection
import FirnStore
import TestSupport
import Testing

@Suite("The parts of a baseline")
struct BaselinePartTests {
    @Test("have all rows in order, and not all of them where these are large")
    func largeRows() throws {
        let directory = try TemporaryDirectory()
        let store = try PlainStore(directory.path + "/Notes.sqlite")
        try store.append((1...24).map { "\($0) " + String(repeating: "x", count: 1 << 20) }, from: 1)
        var parts: [[Int64]] = []
        try store.engine.read { reader in
            try reader.baseline(model: store.engine.modelSequence) { part in
                if case .rows(let changes, _) = part { parts.append(changes.groups.flatMap(\.primaryKeys)) }
            }
        }
        #expect(parts.count > 1 && parts.allSatisfy { !$0.isEmpty })
        #expect(parts.flatMap(\.self) == Array(1...24))
    }
}
