import FirnLog
import Foundation

enum LogBytes {
    /// Bytes of a log's segments, and of the dictionaries that they name. The room at the end of the last one does
    /// not count.
    static func count(_ log: SegmentLog) throws -> Int {
        let folder = URL(fileURLWithPath: log.directory)
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: [.fileSizeKey])
        return try files.filter { $0.pathExtension == "dictionary" }.reduce(Int(log.extent().usedSize)) {
            try $0 + ($1.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0)
        }
    }
}
