package import FirnLog
package import FirnModel
import FirnRuntime
import Foundation
import Synchronization

/// Between the reference objects that a store of the application's own knows its objects by, and the primary keys
/// that everything else does. Thread-safe.
///
/// Keys are given in the order in which objects become known, and hold for as long as the store is open; URIs are made
/// of the reference objects themselves, so they hold for ever.
package final class ReferenceObjects: Sendable {
    /// A key given to nobody's row, for references that are asked for by name only.
    private static let strayKey: Int64 = 1 << 48

    private struct Known: Hashable {
        let root: UInt32
        let reference: AnyHashable
    }

    private struct State {
        var keys: [Known: Int64] = [:]
        var references: [ObjectKey: Any] = [:]
        var next: Int64 = 1
    }

    private let state = Mutex(State())

    package init() {}

    /// Knows what another store's references know.
    package func merge(_ other: ReferenceObjects) {
        let known = other.state.withLock { Transferred($0) }
        state.withLock { $0 = known.value }
    }

    /// From now on keys are given by someone else; what is not known gets one that he does not give.
    package func endGiving() { state.withLock { $0.next = Self.strayKey } }

    /// The key of an object; a new one if it was not known.
    package func key(of reference: Any, root: UInt32) -> Int64 {
        let given = Transferred(reference)
        return state.withLock { state in
            let reference = given.value
            let known = Known(root: root, reference: Self.hashable(reference))
            if let key = state.keys[known] { return key }
            let key = state.next
            state.next += 1
            state.keys[known] = key
            state.references[ObjectKey(entity: EntityNumber(root), primaryKey: key)] = reference
            return key
        }
    }

    /// Notes that an object has this key. False if another one has the reference.
    package func set(_ reference: Any, root: UInt32, primaryKey: Int64) -> Bool {
        let given = Transferred(reference)
        return state.withLock { state in
            let reference = given.value
            let known = Known(root: root, reference: Self.hashable(reference))
            guard state.keys[known] == nil || state.keys[known] == primaryKey else { return false }
            state.keys[known] = primaryKey
            state.references[ObjectKey(entity: EntityNumber(root), primaryKey: primaryKey)] = reference
            return true
        }
    }

    package func remove(root: UInt32, primaryKey: Int64) {
        state.withLock { state in
            let key = ObjectKey(entity: EntityNumber(root), primaryKey: primaryKey)
            guard let old = state.references.removeValue(forKey: key) else { return }
            state.keys[Known(root: root, reference: Self.hashable(old))] = nil
        }
    }

    package func reference(root: UInt32, primaryKey: Int64) -> Any? {
        let found: Transferred<Any>? = state.withLock { state in
            state.references[ObjectKey(entity: EntityNumber(root), primaryKey: primaryKey)].map { Transferred($0) }
        }
        return found?.value
    }

    /// The text after the `p` of the object's URI.
    package func text(root: UInt32, primaryKey: Int64) -> String {
        guard let reference = reference(root: root, primaryKey: primaryKey) else { return "\(primaryKey)" }
        let text = "\(Self.hashable(reference).base)"
        return text.addingPercentEncoding(withAllowedCharacters: .alphanumerics.union(["-", "_", "."])) ?? text
    }

    /// The key of an object by that text, if its reference is known, or is a text or a number.
    package func key(of text: String, root: UInt32) -> Int64 {
        let known: Int64? = state.withLock { state in
            for reference in [text, Int64(text), UUID(uuidString: text)] as [AnyHashable?] {
                guard let reference else { continue }
                if let key = state.keys[Known(root: root, reference: reference)] { return key }
            }
            return nil
        }
        return known ?? key(of: Int64(text).map { NSNumber(value: $0) } ?? text, root: root)
    }

    /// One form for references that are equal: numbers, texts and UUIDs come as Swift's values and as Foundation's
    /// objects.
    private static func hashable(_ reference: Any) -> AnyHashable {
        switch reference {
        case let number as any BinaryInteger: AnyHashable(Int64(truncatingIfNeeded: number))
        case let text as String: AnyHashable(text)
        case let text as NSString: AnyHashable(text.description)
        case let id as UUID: AnyHashable(id)
        case let number as NSNumber: AnyHashable(number.int64Value)
        case let object as AnyHashable: object
        default:
            fatalError(
                "a reference object is a number, a text, a UUID, or something hashable, not \(type(of: reference))")
        }
    }
}

extension ObjectKey {
    /// The key of an object that has a temporary ID: no row has a negative one.
    package init(temporaryNumber: UInt64) { self.init(entity: EntityNumber(0), primaryKey: -Int64(temporaryNumber)) }

    /// The key of the object that has this ID.
    package init(_ id: NSManagedObjectID) {
        self.init(entity: EntityNumber(id.entityNumber), primaryKey: id.primaryKey)
    }
}
