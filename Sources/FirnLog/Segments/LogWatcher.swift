/// Waits for records that anybody appends: any log on the folder, in this process or another.
public final class LogWatcher: @unchecked Sendable {
    private let log: SegmentLog
    private let watch: any DirectoryWatch

    /// Watches from now on. Takes one of the user's inotify instances until it is gone.
    public init(_ log: SegmentLog) throws {
        self.log = log
        watch = try attempt { () throws(FileError) in try log.fileSystem.watch(log.directory) }
    }

    /// Blocks until there are records after `sequence`; false if `cancel` was called.
    ///
    /// It blocks its thread: call it on one of its own, not in a task.
    public func wait(after sequence: SequenceNumber) throws -> Bool {
        while try log.refresh() <= sequence {
            let goesOn = try attempt { () throws(FileError) in try watch.wait() }
            if !goesOn { return false }
        }
        return true
    }

    /// Ends the present and every later `wait` that finds nothing. It may be called from any thread.
    public func cancel() { watch.cancel() }
}
