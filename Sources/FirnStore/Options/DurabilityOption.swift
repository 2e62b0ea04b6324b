package import FirnLog
import Foundation

/// How durable a save is when it returns, as a store option: `"synced"` (the default), `"bounded"` (within 100
/// milliseconds), `"bounded 5000"` (within 5,000 microseconds) or `"system"`. See `Durability`.
public let PersistentStoreDurabilityOption = "PersistentStoreDurability"

extension Durability {
    private static let boundDefault: Int64 = 100_000

    /// What a store's options ask for.
    package init(options: [AnyHashable: Any]?) {
        let words = (options?[PersistentStoreDurabilityOption] as? String)?.split(separator: " ") ?? []
        switch words.first {
        case "system": self = .system
        case "bounded":
            self = .bounded(microseconds: words.count > 1 ? Int64(words[1]) ?? Self.boundDefault : Self.boundDefault)
        default: self = .synced
        }
    }

    /// The option's value.
    package var option: String {
        switch self {
        case .synced: "synced"
        case .bounded(let microseconds): "bounded \(microseconds)"
        case .system: "system"
        }
    }
}
