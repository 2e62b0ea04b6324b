import Foundation
import Synchronization

/// The projectors of this program that may leave tables behind: when the program ends by itself, they bring them up to
/// date, so that another program that reads the tables afterwards sees what this one saved.
package enum OpenProjectors {
    private struct Known: Sendable {
        weak var projector: Projector?
    }

    private static let known = Mutex<[Known]>([])
    private static let atExit: Void = {
        atexit { for projector in OpenProjectors.all { projector.applyAtExit() } }
    }()

    static func insert(_ projector: Projector) {
        _ = atExit
        known.withLock { known in
            known.removeAll { $0.projector == nil }
            known.append(Known(projector: projector))
        }
    }

    private static var all: [Projector] { known.withLock { $0.compactMap(\.projector) } }

    /// Applies what is left, for a caller that reads the tables without a store. An error shows again at the next read
    /// through the store.
    package static func catchUp() {
        for projector in all { try? projector.catchUp() }
    }
}
