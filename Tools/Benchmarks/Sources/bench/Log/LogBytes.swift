import FirnLog
import Foundation

enum LogBytes {
    /// What a log takes: its frames, and the dictionaries that they are compressed with. Segments have room for more,
    /// which does not count.
    static func count(_ log: SegmentLog) throws -> Int {
        let folder = URL(fileURLWithPath: log.directory)
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: [.fileSizeKey])
        return try files.filter { $0.pathExtension == "dictionary" }.reduce(Int(log.statistics().frameSize)) {
            try $0 + ($1.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0)
        }
    }
}
