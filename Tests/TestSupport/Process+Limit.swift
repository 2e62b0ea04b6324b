package import Foundation

extension Process {
    /// Starts the program and waits for its end. One that is not over after `limit` seconds is taken to be endless: it
    /// is killed. Returns whether it ended by itself.
    package func run(limit: TimeInterval) throws -> Bool {
        let ended = DispatchSemaphore(value: 0)
        terminationHandler = { _ in ended.signal() }
        try run()
        if ended.wait(timeout: .now() + limit) == .success { return true }
        killGroup()
        // Something that left the group may have its files and live on: that is not waited for.
        _ = ended.wait(timeout: .now() + 5)
        return false
    }

    /// Kills the program and what it started. Of a program that has crashed another process prints where, with the
    /// program's own files: killed alone, the program would leave one behind that waits for it, and whose end
    /// `waitUntilExit` waits for.
    package func killGroup() {
        // Foundation makes each program the leader of a group.
        Foundation.kill(-processIdentifier, SIGKILL)
    }
}
