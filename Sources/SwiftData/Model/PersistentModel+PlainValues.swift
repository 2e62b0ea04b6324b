#if SwiftData
import Firn
public import Foundation

// The most common types by themselves. A function for every type asks, when it runs, what it needs to know of the type,
// and that takes longer than the value. Ours, not Apple's: accessors find these before the general ones.
extension PersistentModel {
    public func getValue(forKey: KeyPath<Self, Int>, observedBy registrar: ModelRegistrar) -> Int {
        registrar.access(self, keyPath: forKey)
        let storage = storage
        if let value = storage.integer(forKey) { return Int(truncatingIfNeeded: value) }
        return storage.attribute(forKey)
    }

    public func setValue(forKey: KeyPath<Self, Int>, to newValue: Int) {
        let storage = storage
        if storage.setPlainValue(.integer(Int64(newValue)), forKey) { return }
        storage.setAttribute(newValue, forKey)
    }

    public func getValue(forKey: KeyPath<Self, Int?>, observedBy registrar: ModelRegistrar) -> Int? {
        registrar.access(self, keyPath: forKey)
        let storage = storage
        if let value = storage.integer(forKey) { return Int(truncatingIfNeeded: value) }
        switch storage.plainValue(forKey) {
        case .integer(let value): return Int(truncatingIfNeeded: value)
        case .null: return nil
        default: return storage.attribute(forKey)
        }
    }

    public func setValue(forKey: KeyPath<Self, Int?>, to newValue: Int?) {
        let storage = storage
        if storage.setPlainValue(newValue.map { .integer(Int64($0)) } ?? .null, forKey) { return }
        storage.setAttribute(newValue, forKey)
    }

    public func getValue(forKey: KeyPath<Self, Double>, observedBy registrar: ModelRegistrar) -> Double {
        registrar.access(self, keyPath: forKey)
        let storage = storage
        if let value = storage.real(forKey) { return value }
        return storage.attribute(forKey)
    }

    public func setValue(forKey: KeyPath<Self, Double>, to newValue: Double) {
        let storage = storage
        if storage.setPlainValue(.real(newValue), forKey) { return }
        storage.setAttribute(newValue, forKey)
    }

    public func getValue(forKey: KeyPath<Self, Double?>, observedBy registrar: ModelRegistrar) -> Double? {
        registrar.access(self, keyPath: forKey)
        let storage = storage
        if let value = storage.real(forKey) { return value }
        switch storage.plainValue(forKey) {
        case .real(let value): return value
        case .null: return nil
        default: return storage.attribute(forKey)
        }
    }

    public func setValue(forKey: KeyPath<Self, Double?>, to newValue: Double?) {
        let storage = storage
        if storage.setPlainValue(newValue.map { .real($0) } ?? .null, forKey) { return }
        storage.setAttribute(newValue, forKey)
    }

    public func getValue(forKey: KeyPath<Self, Bool>, observedBy registrar: ModelRegistrar) -> Bool {
        registrar.access(self, keyPath: forKey)
        let storage = storage
        if let value = storage.integer(forKey) { return value != 0 }
        return storage.attribute(forKey)
    }

    public func setValue(forKey: KeyPath<Self, Bool>, to newValue: Bool) {
        let storage = storage
        if storage.setPlainValue(.integer(newValue ? 1 : 0), forKey) { return }
        storage.setAttribute(newValue, forKey)
    }

    public func getValue(forKey: KeyPath<Self, Bool?>, observedBy registrar: ModelRegistrar) -> Bool? {
        registrar.access(self, keyPath: forKey)
        let storage = storage
        if let value = storage.integer(forKey) { return value != 0 }
        switch storage.plainValue(forKey) {
        case .integer(let value): return value != 0
        case .null: return nil
        default: return storage.attribute(forKey)
        }
    }

    public func setValue(forKey: KeyPath<Self, Bool?>, to newValue: Bool?) {
        let storage = storage
        if storage.setPlainValue(newValue.map { .integer($0 ? 1 : 0) } ?? .null, forKey) { return }
        storage.setAttribute(newValue, forKey)
    }

    public func getValue(forKey: KeyPath<Self, String>, observedBy registrar: ModelRegistrar) -> String {
        registrar.access(self, keyPath: forKey)
        let storage = storage
        if let value = storage.text(forKey) { return value }
        return storage.attribute(forKey)
    }

    public func setValue(forKey: KeyPath<Self, String>, to newValue: String) {
        let storage = storage
        if storage.setPlainValue(.text(newValue), forKey) { return }
        storage.setAttribute(newValue, forKey)
    }

    public func getValue(forKey: KeyPath<Self, String?>, observedBy registrar: ModelRegistrar) -> String? {
        registrar.access(self, keyPath: forKey)
        let storage = storage
        if let value = storage.text(forKey) { return value }
        switch storage.plainValue(forKey) {
        case .text(let value): return value
        case .null: return nil
        default: return storage.attribute(forKey)
        }
    }

    public func setValue(forKey: KeyPath<Self, String?>, to newValue: String?) {
        let storage = storage
        if storage.setPlainValue(newValue.map { .text($0) } ?? .null, forKey) { return }
        storage.setAttribute(newValue, forKey)
    }

    public func getValue(forKey: KeyPath<Self, Date>, observedBy registrar: ModelRegistrar) -> Date {
        registrar.access(self, keyPath: forKey)
        let storage = storage
        if let value = storage.real(forKey) { return Date(timeIntervalSinceReferenceDate: value) }
        return storage.attribute(forKey)
    }

    public func setValue(forKey: KeyPath<Self, Date>, to newValue: Date) {
        let storage = storage
        if storage.setPlainValue(.real(newValue.timeIntervalSinceReferenceDate), forKey) { return }
        storage.setAttribute(newValue, forKey)
    }

    public func getValue(forKey: KeyPath<Self, Date?>, observedBy registrar: ModelRegistrar) -> Date? {
        registrar.access(self, keyPath: forKey)
        let storage = storage
        if let value = storage.real(forKey) { return Date(timeIntervalSinceReferenceDate: value) }
        switch storage.plainValue(forKey) {
        case .real(let value): return Date(timeIntervalSinceReferenceDate: value)
        case .null: return nil
        default: return storage.attribute(forKey)
        }
    }

    public func setValue(forKey: KeyPath<Self, Date?>, to newValue: Date?) {
        let storage = storage
        if storage.setPlainValue(newValue.map { .real($0.timeIntervalSinceReferenceDate) } ?? .null, forKey) { return }
        storage.setAttribute(newValue, forKey)
    }
}
#endif
