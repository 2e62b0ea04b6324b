import FirnStore
import FirnFoundation
import FirnLog
import FirnModel
import Foundation

/// One object of a binary store as a property list has it.
struct BinaryRecord {
    private let node: NSAtomicStoreCacheNode
    private var layout: EntityLayout { node.objectID.entity.layout }

    init(_ node: NSAtomicStoreCacheNode) { self.node = node }

    func encoded(_ reference: (NSAtomicStoreCacheNode) -> Int64) throws -> [String: Any] {
        var result: [String: Any] = [:]
        for info in layout.slots where !info.isTransient {
            switch info.kind {
            case .attribute: result[info.name] = try attribute(info)
            case .toOne:
                let destination = node.value(forKey: info.name) as? NSAtomicStoreCacheNode
                result[info.name] = destination.map { NSNumber(value: reference($0)) }
            case .toMany:
                let members = members(node.value(forKey: info.name)).map { NSNumber(value: reference($0)) }
                let isOrdered = info.toMany?.isOrdered ?? false
                if members.isEmpty { continue }
                result[info.name] = isOrdered ? members : members.sorted { $0.int64Value < $1.int64Value }
            default: continue
            }
        }
        return result
    }

    private func members(_ value: Any?) -> [NSAtomicStoreCacheNode] {
        let all = (value as? NSOrderedSet)?.array ?? (value as? NSSet)?.allObjects ?? []
        return all.compactMap { $0 as? NSAtomicStoreCacheNode }
    }

    private func attribute(_ info: Slot) throws -> Any? {
        let found = ValueCoding.attribute(info, { node.value(forKey: $0.name) }, node.objectID.entity)
        guard let found else { return nil }
        switch try ValueCoding.stored(found, info) {
        case .null, .reference: return nil
        case .integer(let number): return NSNumber(value: number)
        case .real(let number): return NSNumber(value: number)
        case .text(let text): return text
        case .blob(let bytes): return Data(bytes)
        }
    }

    func decode(_ values: [String: Any], _ node: (Int64) -> NSAtomicStoreCacheNode?) {
        for info in layout.slots {
            guard let value = values[info.name] else { continue }
            switch info.kind {
            case .attribute: set(stored(value, info).flatMap { ValueCoding.any($0, info) }, info)
            case .toOne: set((value as? NSNumber).flatMap { node($0.int64Value) }, info)
            case .toMany:
                let members = (value as? [NSNumber] ?? []).compactMap { node($0.int64Value) }
                let isOrdered = info.toMany?.isOrdered ?? false
                set(isOrdered ? NSOrderedSet(array: members) : NSSet(array: members), info)
            default: continue
            }
        }
    }

    private func stored(_ value: Any, _ info: Slot) -> PropertyValue? {
        switch (value, info.storage) {
        case (let number as NSNumber, .integer): .integer(number.int64Value)
        case (let number as NSNumber, .real): .real(number.nearestDouble)
        case (let text as String, .text): .text(text)
        case (let data as Data, .blob): .blob([UInt8](data))
        default: nil
        }
    }

    /// Leaves of a composite attribute are in its dictionary.
    private func set(_ value: Any?, _ info: Slot) {
        guard info.isCompositeLeaf else { return node.setValue(value, forKey: info.name) }
        let parts = info.name.split(separator: ".", maxSplits: 1).map(String.init)
        var composite = node.value(forKey: parts[0]) as? [String: Any] ?? [:]
        CompositeValue.set(value, at: parts[1], in: &composite)
        node.setValue(composite, forKey: parts[0])
    }
}
