import FirnLog
import Foundation
import TestSupport
import Testing

@Suite("tail --follow waits for what is saved")
struct FollowingTests {
    @Test("records saved while it runs arrive once and in order")
    func follow() throws {
        let store = try SampleStore()
        let process = BuiltProgram("firn").process([
            "tail", "--follow", "--json", "--after", "2", store.path,
        ])
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        defer {
            process.terminate()
            process.waitUntilExit()
        }
        var seen = try read(2, from: pipe)
        for key in Int64(10)..<30 {
            try store.append(.changes(SampleStore.insert(key, name: "n\(key)", friend: nil)))
        }
        seen += try read(20, from: pipe)
        #expect(seen == Array(3...24))
    }

    @Test("it ends when nobody reads it any more")
    func unread() throws {
        let store = try SampleStore()
        let process = BuiltProgram("firn").process(["tail", "--follow", "--json", store.path])
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        _ = try read(4, from: pipe)
        try pipe.fileHandleForReading.close()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
    }

    /// The sequence numbers of the next `count` lines.
    private func read(_ count: Int, from pipe: Pipe) throws -> [Int] {
        var data = Data()
        while data.count(where: { $0 == UInt8(ascii: "\n") }) < count {
            let more = pipe.fileHandleForReading.availableData
            try #require(!more.isEmpty, "the tool ended")
            data += more
        }
        return try data.split(separator: UInt8(ascii: "\n")).compactMap {
            (try JSONSerialization.jsonObject(with: Data($0)) as? [String: Any])?["sequence"]
                as? Int
        }
    }
}
