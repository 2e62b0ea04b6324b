import Foundation
import Synchronization

/// The projectors of this program that may leave tables behind: when the program ends by itself, they bring them up to
/// date, so that whoever looks into the tables afterwards sees what it saved.
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

    /// For whoever is about to look into the tables without a store. What fails, fails again for whoever reads through
    /// the store.
    package static func settle() {
        for projector in all { try? projector.settle() }
    }
}
