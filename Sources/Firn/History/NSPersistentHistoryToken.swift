import FirnLog
public import Foundation

/// Where a reader of history stands, in each store. Opaque; keep it with `NSKeyedArchiver` or as `data`.
/// https://developer.apple.com/documentation/coredata/nspersistenthistorytoken
public final class NSPersistentHistoryToken: NSObject, NSCopying, @unchecked Sendable {
    /// By store identifier, the last record that was seen.
    let positions: [String: SequenceNumber]

    init(_ positions: [String: SequenceNumber]) { self.positions = positions }

    public func copy(with zone: NSZone? = nil) -> Any { self }

    public override func isEqual(_ object: Any?) -> Bool {
        (object as? NSPersistentHistoryToken)?.positions == positions
    }

    public override var hash: Int { positions.hashValue }

    public override var description: String {
        let parts = positions.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
        return "<NSPersistentHistoryToken - {\(parts.joined(separator: ", "))}>"
    }
}
