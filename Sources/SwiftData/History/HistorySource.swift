#if SwiftData
import Firn

/// The change of Core Data's history that a change is made of.
struct HistorySource: Sendable {
    let change: NSPersistentHistoryChange

    init(_ change: NSPersistentHistoryChange) { self.change = change }
}
#endif
