import FirnLog
import Foundation

/// A thread that sleeps until another process has written, and then brings a store up to date.
package final class RecordWatcher: @unchecked Sendable {
    private let watcher: LogWatcher

    package init?(engine: StoreEngine) {
        guard let watcher = try? LogWatcher(engine.log) else { return nil }
        self.watcher = watcher
        let thread = Thread { [weak engine] in
            var tried = SequenceNumber.zero
            while let seen = engine?.observedSequence {
                guard (try? watcher.wait(after: max(seen, tried))) == true else { return }
                guard let engine else { return }
                // What fails here is the next save's to report, which brings the store up to date too. It is not tried
                // again for the same records.
                try? engine.refresh()
                tried = engine.log.head
            }
        }
        thread.name = "firn record watcher"
        thread.start()
    }

    package func stop() { watcher.cancel() }

    deinit { watcher.cancel() }
}
