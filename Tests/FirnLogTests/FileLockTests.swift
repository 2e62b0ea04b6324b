import FirnLog
import Foundation
import Testing

@Suite("The lock of writers")
struct FileLockTests {
    @Test("is had by one who waits after a few of another who is quicker")
    func turns() throws {
        let path = FileManager.default.temporaryDirectory.path + "/firn-lock-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: path) }
        let quick = try PosixFileSystem().lock(path)
        let patient = try PosixFileSystem().lock(path)
        #expect(try quick.acquire(waiting: false))
        let ended = DispatchGroup()
        let isOver = DispatchSemaphore(value: 0)
        ended.enter()
        Thread.detachNewThread {
            #expect(throws: Never.self) { try patient.acquire(waiting: true) }
            isOver.wait()
            patient.release()
            ended.leave()
        }
        let file = try #require(FileHandle(forUpdatingAtPath: path))
        while try !isLocked(byte: 1, of: file) { sched_yield() }
        var count = 0
        var isHeld = true
        while isHeld, count < 1000 {
            quick.release()
            count += 1
            isHeld = try quick.acquire(waiting: false)
        }
        if isHeld { quick.release() }
        #expect(count <= 8)
        isOver.signal()
        ended.wait()
        #expect(try quick.acquire(waiting: true))
        quick.release()
    }

    /// Whether another open file has a lock on the byte: `F_OFD_GETLK`, which the C library's module does not show.
    private func isLocked(byte: Int, of file: FileHandle) throws -> Bool {
        var range = flock()
        range.l_type = Int16(F_WRLCK)
        range.l_whence = Int16(SEEK_SET)
        range.l_start = off_t(byte)
        range.l_len = 1
        try #require(fcntl(file.fileDescriptor, 36, &range) == 0)
        return range.l_type != Int16(F_UNLCK)
    }
}
