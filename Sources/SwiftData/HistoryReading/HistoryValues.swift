#if SwiftData
import Firn
import FirnModel
import Foundation

/// The values that a change had before or after. Ours: Apple's history has the names of the properties only.
extension DefaultHistoryInsert {
    /// The value of an attribute, or of a part of a structure, that the model was inserted with.
    public func newValue<Value>(_ keyPath: KeyPath<Model, Value>) -> Value? {
        source?.values(\.newValues, of: Model.self).value(keyPath)
    }

    /// The identifier of the model that a to-one relationship was inserted with.
    public func newIdentifier(_ keyPath: PartialKeyPath<Model>) -> PersistentIdentifier? {
        source?.values(\.newValues, of: Model.self).identifier(keyPath)
    }
}

extension DefaultHistoryUpdate {
    /// The value of an attribute, or of a part of a structure, before the change; nil if it was not changed. An
    /// attribute that was nil is `.some(nil)`.
    public func oldValue<Value>(_ keyPath: KeyPath<Model, Value>) -> Value? {
        source?.values(\.oldValues, of: Model.self).value(keyPath)
    }

    /// The value of an attribute, or of a part of a structure, after the change; nil if it was not changed. An
    /// attribute that became nil is `.some(nil)`.
    public func newValue<Value>(_ keyPath: KeyPath<Model, Value>) -> Value? {
        source?.values(\.newValues, of: Model.self).value(keyPath)
    }

    /// The identifier of the model that a to-one relationship led to before the change.
    public func oldIdentifier(_ keyPath: PartialKeyPath<Model>) -> PersistentIdentifier? {
        source?.values(\.oldValues, of: Model.self).identifier(keyPath)
    }

    /// The identifier of the model that a to-one relationship leads to after the change.
    public func newIdentifier(_ keyPath: PartialKeyPath<Model>) -> PersistentIdentifier? {
        source?.values(\.newValues, of: Model.self).identifier(keyPath)
    }
}

extension DefaultHistoryDelete {
    /// The value of an attribute, or of a part of a structure, that the deleted model had: also of attributes that no
    /// tombstone preserves.
    public func oldValue<Value>(_ keyPath: KeyPath<Model, Value>) -> Value? {
        source?.values(\.oldValues, of: Model.self).value(keyPath)
    }

    /// The identifier of the model that a to-one relationship of the deleted model led to.
    public func oldIdentifier(_ keyPath: PartialKeyPath<Model>) -> PersistentIdentifier? {
        source?.values(\.oldValues, of: Model.self).identifier(keyPath)
    }
}

extension RecordedChange {
    fileprivate func values<Model: PersistentModel>(
        _ side: KeyPath<NSPersistentHistoryChange, [String: Any]>, of model: Model.Type
    ) -> HistoryValues<Model> {
        HistoryValues(stored: change[keyPath: side], changed: change.changedNames)
    }
}

/// The values of one side of a change, by the names of the stored properties. Nil values are absent.
private struct HistoryValues<Model: PersistentModel> {
    let stored: [String: Any]
    /// The stored properties that an update changed; nil where all are known.
    let changed: Set<String>?

    func value<Value>(_ keyPath: KeyPath<Model, Value>) -> Value? {
        guard let path = ModelPredicateSource.shared.keyValueCodingKeyPath(for: keyPath), !path.isEmpty,
            let column = column(keyPath), isKnown(path, column)
        else { return nil }
        return column.knownValue(storedValue(path, column)) as? Value
    }

    func identifier(_ keyPath: PartialKeyPath<Model>) -> PersistentIdentifier? {
        ModelShape.of(Model.self).property(for: keyPath)
            .flatMap { stored[$0.name] as? NSManagedObjectID }.map { PersistentIdentifier($0) }
    }

    private func column(_ keyPath: PartialKeyPath<Model>) -> AnyColumn? {
        guard let property = ModelShape.of(Model.self).property(for: keyPath) else {
            return ColumnCache.column(for: type(of: keyPath).valueType)
        }
        guard case .attribute(let column) = property.kind else { return nil }
        return column
    }

    /// Of a structure, every part has to be known.
    private func isKnown(_ path: String, _ column: AnyColumn) -> Bool {
        guard let changed else { return true }
        guard case .composite(let elements) = column.form else { return changed.contains(path) }
        return elements.allSatisfy { isKnown("\(path).\($0.name)", $0.column) }
    }

    private func storedValue(_ path: String, _ column: AnyColumn) -> Any? {
        guard case .composite(let elements) = column.form else { return stored[path] }
        var parts: [String: Any] = [:]
        for element in elements { parts[element.name] = storedValue("\(path).\(element.name)", element.column) }
        return parts.isEmpty ? nil : parts
    }
}
#endif
