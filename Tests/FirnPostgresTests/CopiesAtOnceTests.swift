import FirnLog
import Foundation
import Synchronization
import TestSupport
import Testing

@Suite("Programs that make a copy of one shared log at once")
struct CopiesAtOnceTests {
    @Test("the second waits for the first, and leaves its baseline alone")
    func waits() throws {
        let server = try FolderServer()
        let source = try server.create(server.address, storeID: .random())
        try source.save("one")
        try source.trim(through: 1, knowing: 1) { _ in }
        let folder = try TemporaryDirectory()
        let directory = folder.file("copy-log").path
        let codes = Mutex<Set<LogError.Code?>>([])
        let other = try server.log()
        server.onBaseline.withLock { action in
            action = {
                let error = logError {
                    try SegmentLog.create(
                        directory: directory, continuing: other, options: LogOptions(lockTimeout: 2_000),
                        date: 1_000_000)
                }
                codes.withLock { _ = $0.insert(error?.code) }
            }
        }
        let log = try SegmentLog.create(directory: directory, continuing: source, date: 1_000_000)
        #expect(codes.withLock { $0 } == [.locked])
        #expect(log.baseline == 1)
        #expect(try LogMaintenance(log).verify().isSound)
    }
}
