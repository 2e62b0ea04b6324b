#if SwiftData
import Firn
public import Foundation

// The most common types by themselves. A function for every type asks, when it runs, what it needs to know of the type,
// and that takes longer than the value. Ours, not Apple's: accessors find these before the general ones.
//
// Setters have no use for the model, which only relationships need. A model's initializer has none yet.
extension ModelBackingData {
    public func getValue(forKey: KeyPath<Model, Int>, of model: Model, observedBy registrar: ModelRegistrar) -> Int {
        registrar.access(model, keyPath: forKey)
        if let value = storage.integer(forKey) { return Int(truncatingIfNeeded: value) }
        return storage.attribute(forKey)
    }

    public func setValue(forKey: KeyPath<Model, Int>, to newValue: Int, of model: Model? = nil) {
        if storage.setPlainValue(.integer(Int64(newValue)), forKey) { return }
        storage.setAttribute(newValue, forKey)
    }

    public func getValue(forKey: KeyPath<Model, Int?>, of model: Model, observedBy registrar: ModelRegistrar) -> Int? {
        registrar.access(model, keyPath: forKey)
        if let value = storage.integer(forKey) { return Int(truncatingIfNeeded: value) }
        return storage.isNull(forKey) ? nil : storage.attribute(forKey)
    }

    public func setValue(forKey: KeyPath<Model, Int?>, to newValue: Int?, of model: Model? = nil) {
        if storage.setPlainValue(newValue.map { .integer(Int64($0)) } ?? .null, forKey) { return }
        storage.setAttribute(newValue, forKey)
    }

    public func getValue(
        forKey: KeyPath<Model, Double>, of model: Model, observedBy registrar: ModelRegistrar
    ) -> Double {
        registrar.access(model, keyPath: forKey)
        if let value = storage.real(forKey) { return value }
        return storage.attribute(forKey)
    }

    public func setValue(forKey: KeyPath<Model, Double>, to newValue: Double, of model: Model? = nil) {
        if storage.setPlainValue(.real(newValue), forKey) { return }
        storage.setAttribute(newValue, forKey)
    }

    public func getValue(
        forKey: KeyPath<Model, Double?>, of model: Model, observedBy registrar: ModelRegistrar
    ) -> Double? {
        registrar.access(model, keyPath: forKey)
        if let value = storage.real(forKey) { return value }
        return storage.isNull(forKey) ? nil : storage.attribute(forKey)
    }

    public func setValue(forKey: KeyPath<Model, Double?>, to newValue: Double?, of model: Model? = nil) {
        if storage.setPlainValue(newValue.map { .real($0) } ?? .null, forKey) { return }
        storage.setAttribute(newValue, forKey)
    }

    public func getValue(forKey: KeyPath<Model, Bool>, of model: Model, observedBy registrar: ModelRegistrar) -> Bool {
        registrar.access(model, keyPath: forKey)
        if let value = storage.integer(forKey) { return value != 0 }
        return storage.attribute(forKey)
    }

    public func setValue(forKey: KeyPath<Model, Bool>, to newValue: Bool, of model: Model? = nil) {
        if storage.setPlainValue(.integer(newValue ? 1 : 0), forKey) { return }
        storage.setAttribute(newValue, forKey)
    }

    public func getValue(
        forKey: KeyPath<Model, Bool?>, of model: Model, observedBy registrar: ModelRegistrar
    ) -> Bool? {
        registrar.access(model, keyPath: forKey)
        if let value = storage.integer(forKey) { return value != 0 }
        return storage.isNull(forKey) ? nil : storage.attribute(forKey)
    }

    public func setValue(forKey: KeyPath<Model, Bool?>, to newValue: Bool?, of model: Model? = nil) {
        if storage.setPlainValue(newValue.map { .integer($0 ? 1 : 0) } ?? .null, forKey) { return }
        storage.setAttribute(newValue, forKey)
    }

    public func getValue(
        forKey: KeyPath<Model, String>, of model: Model, observedBy registrar: ModelRegistrar
    ) -> String {
        registrar.access(model, keyPath: forKey)
        if let value = storage.text(forKey) { return value }
        return storage.attribute(forKey)
    }

    public func setValue(forKey: KeyPath<Model, String>, to newValue: String, of model: Model? = nil) {
        if storage.setPlainValue(.text(newValue), forKey) { return }
        storage.setAttribute(newValue, forKey)
    }

    public func getValue(
        forKey: KeyPath<Model, String?>, of model: Model, observedBy registrar: ModelRegistrar
    ) -> String? {
        registrar.access(model, keyPath: forKey)
        if let value = storage.text(forKey) { return value }
        return storage.isNull(forKey) ? nil : storage.attribute(forKey)
    }

    public func setValue(forKey: KeyPath<Model, String?>, to newValue: String?, of model: Model? = nil) {
        if storage.setPlainValue(newValue.map { .text($0) } ?? .null, forKey) { return }
        storage.setAttribute(newValue, forKey)
    }

    public func getValue(forKey: KeyPath<Model, Date>, of model: Model, observedBy registrar: ModelRegistrar) -> Date {
        registrar.access(model, keyPath: forKey)
        if let value = storage.real(forKey) { return Date(timeIntervalSinceReferenceDate: value) }
        return storage.attribute(forKey)
    }

    public func setValue(forKey: KeyPath<Model, Date>, to newValue: Date, of model: Model? = nil) {
        if storage.setPlainValue(.real(newValue.timeIntervalSinceReferenceDate), forKey) { return }
        storage.setAttribute(newValue, forKey)
    }

    public func getValue(
        forKey: KeyPath<Model, Date?>, of model: Model, observedBy registrar: ModelRegistrar
    ) -> Date? {
        registrar.access(model, keyPath: forKey)
        if let value = storage.real(forKey) { return Date(timeIntervalSinceReferenceDate: value) }
        return storage.isNull(forKey) ? nil : storage.attribute(forKey)
    }

    public func setValue(forKey: KeyPath<Model, Date?>, to newValue: Date?, of model: Model? = nil) {
        if storage.setPlainValue(newValue.map { .real($0.timeIntervalSinceReferenceDate) } ?? .null, forKey) { return }
        storage.setAttribute(newValue, forKey)
    }
}
#endif
