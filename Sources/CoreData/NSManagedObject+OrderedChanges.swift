public import Firn
public import FirnFoundation
public import Foundation

extension NSManagedObject {
    /// Announces a change of an ordered relationship that is about to be made with primitive accessors.
    public func willChange(_ changeKind: NSKeyValueChange, valuesAt indexes: IndexSet, forKey key: String) {
        willChangeValue(forKey: key)
    }

    /// Ends what `willChange(_:valuesAt:forKey:)` began: the change is tracked.
    public func didChange(_ changeKind: NSKeyValueChange, valuesAt indexes: IndexSet, forKey key: String) {
        didChangeValue(forKey: key)
    }
}
