import FirnFoundation
package import FirnLog
import FirnStore
public import Foundation

/// Where a reader of history stands, in each store. Opaque; keep it with `NSKeyedArchiver`.
/// https://developer.apple.com/documentation/coredata/nspersistenthistorytoken
public final class NSPersistentHistoryToken: NSObject, NSCopying, NSSecureCoding, Sendable {
    /// The last record that was seen of the one store, which is all that most tokens tell.
    private let only: (store: String, position: LogPosition)?
    private let several: [String: LogPosition]

    /// By store identifier, the last record that was seen.
    package var positions: [String: LogPosition] { only.map { [$0.store: $0.position] } ?? several }

    package init(_ positions: [String: LogPosition]) {
        only = nil
        several = positions
    }

    package init(_ store: String, _ position: LogPosition) {
        only = (store, position)
        several = [:]
    }

    /// The positions as whole numbers.
    package var transactionNumbers: [String: Int64] { positions.mapValues { Int64($0.sequence.rawValue) } }

    /// The token of a reader that has seen the transactions up to these numbers, by the stores' identifiers.
    public convenience init(transactionNumbers: [String: Int64]) {
        self.init(transactionNumbers: transactionNumbers, links: [:])
    }

    package convenience init(transactionNumbers: [String: Int64], links: [String: Int64]) {
        let positions = transactionNumbers.map { store, number in
            (store, LogPosition(SequenceNumber(UInt64(max(number, 0))), link: links[store]))
        }
        self.init(Dictionary(uniqueKeysWithValues: positions))
    }

    /// The links of the positions that have one.
    package var links: [String: Int64] { positions.compactMapValues(\.link) }

    /// The token of nobody's history.
    public override convenience init() { self.init([:]) }

    public static var supportsSecureCoding: Bool { true }

    /// Nil if what was archived is no token.
    public init?(coder: NSCoder) {
        let stores = coder.decodeObject(of: [NSArray.self, NSString.self], forKey: "stores") as? [String]
        let archived = coder.decodeObject(of: [NSArray.self, NSString.self, NSNumber.self], forKey: "records") as? [Any]
        let records = archived?.compactMap(LogPosition.init(archived:))
        guard let stores, let records, records.count == archived?.count, stores.count == records.count,
            Set(stores).count == stores.count
        else { return nil }
        only = nil
        several = Dictionary(uniqueKeysWithValues: zip(stores, records))
    }

    public func encode(with coder: NSCoder) {
        let sorted = positions.sorted { $0.key < $1.key }
        coder.encode(sorted.map(\.key) as NSArray, forKey: "stores")
        coder.encode(sorted.map(\.value.description) as NSArray, forKey: "records")
    }

    /// Throws 134301 if the token tells of none of these stores, but of others: a store whose file was deleted has
    /// another identifier when it is made again.
    package func check(stores: [String]) throws {
        guard !positions.isEmpty, positions.keys.allSatisfy({ !stores.contains($0) }) else { return }
        throw CoreDataError.make(
            .persistentHistoryTokenExpired,
            "the token is of the history of another store (\(positions.keys.sorted().joined(separator: ", "))), such "
                + "as one that was here before: read the objects as they are, and go on from "
                + "currentPersistentHistoryToken")
    }

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

extension LogPosition {
    /// Reads text, or the number that earlier versions archived; nil for anything else.
    init?(archived value: Any) { self.init("\(value)") }
}

extension NSPersistentStore {
    /// The position of a record of the store's log.
    func position(of sequence: SequenceNumber) -> LogPosition {
        tables?.engine?.log.position(of: sequence) ?? LogPosition(sequence)
    }
}

extension NSPersistentHistoryToken: PartiallyOrdered {
    /// The order in each store that both tell of, or that the one which tells of fewer does: a transaction's token is
    /// after all that a reader had seen of its store. Tokens of which each is ahead in another store have no order.
    package func order(to other: AnyObject) -> ComparisonResult? {
        guard let other = other as? NSPersistentHistoryToken else { return nil }
        let (mine, theirs) = (transactionNumbers, other.transactionNumbers)
        // A token of no store is before every other.
        if mine.isEmpty { return theirs.isEmpty ? .orderedSame : .orderedAscending }
        if theirs.isEmpty { return .orderedDescending }
        let stores = mine.count <= theirs.count ? mine.keys : theirs.keys
        let pairs = stores.map { (mine[$0] ?? 0, theirs[$0] ?? 0) }
        let isAhead = pairs.contains { $0 > $1 }
        let isBehind = pairs.contains { $0 < $1 }
        if isAhead, isBehind { return nil }
        return isAhead ? .orderedDescending : isBehind ? .orderedAscending : .orderedSame
    }
}
