#if SwiftData
import Firn
import Foundation

/// The range of a predicate on transactions in the history, and the properties that it reads.
///
///     $0.token > last && $0.author == "app"     read what follows `last`; authors are in the transactions' heads
///     $0.changes.count > 10                     read all, with changes
struct HistoryPredicate {
    /// Outside of it no transaction meets the predicate.
    private(set) var range = HistoryRange()
    /// Whether the predicate can be evaluated without the changes of a transaction.
    let readsHeadsOnly: Bool

    init(_ predicate: Predicate<DefaultHistoryTransaction>?) {
        readsHeadsOnly = predicate.map { !Self.readsChanges($0.expression) } ?? true
        (predicate?.expression as? any HistoryRangeExpression)?.narrow(&range)
    }

    private static func readsChanges(_ part: Any) -> Bool {
        if let path = part as? any HistoryKeyPathExpression, path.anyKeyPath == \DefaultHistoryTransaction.changes {
            return true
        }
        return Mirror(reflecting: part).children.contains { child in
            let isTuple = Mirror(reflecting: child.value).displayStyle == .tuple
            let isPart = isTuple || child.value is any PredicateExpression || child.value is any NestedPredicate
            return isPart && readsChanges(child.value)
        }
    }
}

/// A predicate or an expression that a predicate evaluates.
private protocol NestedPredicate {}

extension Predicate: NestedPredicate {}
extension Expression: NestedPredicate {}

/// A part of a predicate that may say where in the history its transactions are.
protocol HistoryRangeExpression {
    /// Leaves out what cannot meet the part. What stays may fail it all the same.
    func narrow(_ range: inout HistoryRange)
}

protocol HistoryKeyPathExpression {
    var anyKeyPath: AnyKeyPath { get }
}

protocol HistoryConstantExpression {
    var constant: Any { get }
}

extension PredicateExpressions.KeyPath: HistoryKeyPathExpression {
    var anyKeyPath: AnyKeyPath { keyPath }
}

extension PredicateExpressions.Value: HistoryConstantExpression {
    var constant: Any { value }
}

extension PredicateExpressions.Conjunction: HistoryRangeExpression {
    func narrow(_ range: inout HistoryRange) {
        (lhs as? any HistoryRangeExpression)?.narrow(&range)
        (rhs as? any HistoryRangeExpression)?.narrow(&range)
    }
}

extension PredicateExpressions.Comparison: HistoryRangeExpression {
    func narrow(_ range: inout HistoryRange) {
        let order: HistoryBoundary.Order = switch op {
        case .lessThan: .before
        case .lessThanOrEqual: .through
        case .greaterThan: .after
        case .greaterThanOrEqual: .from
        @unknown default: .unknown
        }
        HistoryBoundary(lhs, rhs, order)?.narrow(&range)
        HistoryBoundary(rhs, lhs, order.reversed)?.narrow(&range)
    }
}

extension PredicateExpressions.Equal: HistoryRangeExpression {
    func narrow(_ range: inout HistoryRange) {
        for order in [HistoryBoundary.Order.from, .through] {
            HistoryBoundary(lhs, rhs, order)?.narrow(&range)
            HistoryBoundary(rhs, lhs, order)?.narrow(&range)
        }
    }
}

/// A property of a transaction, compared with a constant.
struct HistoryBoundary {
    enum Order {
        case before, through, from, after, unknown

        var reversed: Order {
            switch self {
            case .before: .after
            case .through: .from
            case .from: .through
            case .after: .before
            case .unknown: .unknown
            }
        }
    }

    private let keyPath: AnyKeyPath
    private let constant: Any
    private let order: Order

    /// Nil if these are no property and no constant.
    init?(_ path: Any, _ constant: Any, _ order: Order) {
        guard let path = path as? any HistoryKeyPathExpression,
            let constant = constant as? any HistoryConstantExpression
        else { return nil }
        keyPath = path.anyKeyPath
        self.constant = constant.constant
        self.order = order
    }

    func narrow(_ range: inout HistoryRange) {
        switch (keyPath, constant) {
        case (\DefaultHistoryTransaction.token, let token as DefaultHistoryToken): narrow(&range, token)
        case (\DefaultHistoryTransaction.transactionIdentifier, let number as Int64): narrow(&range, number)
        case (\DefaultHistoryTransaction.id, let number as Int64): narrow(&range, number)
        case (\DefaultHistoryTransaction.timestamp, let date as Date): narrow(&range, date)
        case (\DefaultHistoryTransaction.storeIdentifier, let store as String):
            if order == .from { range.narrow(toStores: [store]) }
        default: break
        }
    }

    /// A token is before or after those of its own stores only.
    private func narrow(_ range: inout HistoryRange, _ token: DefaultHistoryToken) {
        let numbers = token.tokenValue ?? [:]
        if numbers.isEmpty { return }
        range.tokens.append(token.managed)
        if order == .after || order == .before { range.narrow(toStores: Set(numbers.keys)) }
        for (store, number) in numbers {
            switch order {
            case .after: range.after[store] = max(number, range.after[store] ?? number)
            case .from: range.after[store] = max(number - 1, range.after[store] ?? 0)
            case .before: range.through[store] = min(number - 1, range.through[store] ?? number)
            case .through: range.through[store] = min(number, range.through[store] ?? number)
            case .unknown: break
            }
        }
    }

    private func narrow(_ range: inout HistoryRange, _ number: Int64) {
        switch order {
        case .after: range.first = max(number == .max ? number : number + 1, range.first ?? number)
        case .from: range.first = max(number, range.first ?? number)
        case .before: range.last = min(number == .min ? number : number - 1, range.last ?? number)
        case .through: range.last = min(number, range.last ?? number)
        case .unknown: break
        }
    }

    /// Dates of the log are whole microseconds: the range is wider by two.
    private func narrow(_ range: inout HistoryRange, _ date: Date) {
        let margin = 2e-6
        switch order {
        case .after, .from:
            let since = date.addingTimeInterval(-margin)
            range.since = max(since, range.since ?? since)
        case .before, .through:
            let until = date.addingTimeInterval(margin)
            range.until = min(until, range.until ?? until)
        case .unknown: break
        }
    }
}

extension HistoryRange {
    fileprivate mutating func narrow(toStores other: Set<String>) { stores = stores?.intersection(other) ?? other }
}
#endif
