import FirnFoundation
package import FirnLog
import FirnStore
public import Foundation

/// Where a reader of history stands, in each store. Opaque; keep it with `NSKeyedArchiver`.
/// https://developer.apple.com/documentation/coredata/nspersistenthistorytoken
public final class NSPersistentHistoryToken: NSObject, NSCopying, NSSecureCoding, Sendable {
    /// The last record that was seen of the one store, which is all that most tokens tell.
    private let only: (store: String, sequence: SequenceNumber)?
    private let several: [String: SequenceNumber]

    /// By store identifier, the last record that was seen.
    package var positions: [String: SequenceNumber] { only.map { [$0.store: $0.sequence] } ?? several }

    package init(_ positions: [String: SequenceNumber]) {
        only = nil
        several = positions
    }

    package init(_ store: String, _ sequence: SequenceNumber) {
        only = (store, sequence)
        several = [:]
    }

    /// The positions as whole numbers.
    package var transactionNumbers: [String: Int64] { positions.mapValues { Int64($0.rawValue) } }

    /// The token of a reader that has seen the transactions up to these numbers, by the stores' identifiers.
    public convenience init(transactionNumbers: [String: Int64]) {
        self.init(transactionNumbers.mapValues { SequenceNumber(UInt64(max($0, 0))) })
    }

    /// The token of nobody's history.
    public override convenience init() { self.init([:]) }

    public static var supportsSecureCoding: Bool { true }

    /// Nil if what was archived is no token.
    public init?(coder: NSCoder) {
        let stores = coder.decodeObject(of: [NSArray.self, NSString.self], forKey: "stores") as? [String]
        let numbers = coder.decodeObject(of: [NSArray.self, NSNumber.self], forKey: "records") as? [NSNumber]
        let records = numbers?.compactMap(SequenceNumber.init(archived:))
        guard let stores, let records, records.count == numbers?.count, stores.count == records.count,
            Set(stores).count == stores.count
        else { return nil }
        only = nil
        several = Dictionary(uniqueKeysWithValues: zip(stores, records))
    }

    public func encode(with coder: NSCoder) {
        let sorted = positions.sorted { $0.key < $1.key }
        coder.encode(sorted.map(\.key) as NSArray, forKey: "stores")
        coder.encode(sorted.map { NSNumber(value: $0.value.rawValue) } as NSArray, forKey: "records")
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

extension SequenceNumber {
    /// Nil for a number that no record has.
    init?(archived number: NSNumber) {
        guard let value = Int64(exactly: number), value >= 0 else { return nil }
        self.init(UInt64(value))
    }
}

extension NSPersistentHistoryToken: PartiallyOrdered {
    /// The order in each store that both tell of, or that the one which tells of fewer does: a transaction's token is
    /// after all that a reader had seen of its store. Tokens of which each is ahead in another store have no order.
    package func order(to other: AnyObject) -> ComparisonResult? {
        guard let other = other as? NSPersistentHistoryToken else { return nil }
        let (mine, theirs) = (positions, other.positions)
        // A token of no store is before every other.
        if mine.isEmpty { return theirs.isEmpty ? .orderedSame : .orderedAscending }
        if theirs.isEmpty { return .orderedDescending }
        let stores = mine.count <= theirs.count ? mine.keys : theirs.keys
        let pairs = stores.map { (mine[$0] ?? .zero, theirs[$0] ?? .zero) }
        let isAhead = pairs.contains { $0 > $1 }
        let isBehind = pairs.contains { $0 < $1 }
        if isAhead, isBehind { return nil }
        return isAhead ? .orderedDescending : isBehind ? .orderedAscending : .orderedSame
    }
}
