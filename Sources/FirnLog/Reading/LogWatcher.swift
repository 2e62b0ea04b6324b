/// Waits for records that anybody appends: any log on the folder, in this process or another.
public final class LogWatcher: @unchecked Sendable {
    private let log: SegmentLog
    private let watch: any DirectoryWatch

    /// Watches from now on. Takes one of the user's inotify instances until it is gone.
    public init(_ log: SegmentLog) throws {
        self.log = log
        watch = try attempt { () throws(FileError) in try log.fileSystem.watch(log.directory) }
    }

    public func wait(until isNews: (SequenceNumber) -> Bool) throws -> Bool {
        while try !isNews(log.refresh()) {
            let goesOn = try attempt { () throws(FileError) in try watch.wait() }
            if !goesOn { return false }
        }
        return true
    }

    /// Ends the present and every later `wait` that finds nothing. It may be called from any thread.
    public func cancel() { watch.cancel() }
}
