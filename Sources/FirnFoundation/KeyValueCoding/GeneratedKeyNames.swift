package import FirnRuntime
import Foundation
import Synchronization

/// The keys of the properties of a class that a tool wrote. With each class the tool writes a subclass of this one,
/// `Ship_KeyNames` for `Ship`, which is found by its name: an application does not use it itself.
///
/// Such properties are computed, and Swift gives computed properties no names in key paths. The plugin `PortedSources`
/// writes `Ship_PortedKeys` for the `@objc` properties of `Ship`, which Objective-C finds by their names. `Ship`
/// need not be a managed object.
open class GeneratedKeyNames {
    /// Calls `add` with the key path and the key of each property that the tool wrote for the class itself.
    open class func list(_ add: (AnyKeyPath, String) -> Void) {}

    private struct Listing {
        /// Lists the `@objc` properties.
        var accessors: GeneratedKeyNames.Type?
        /// The keys by what tells properties apart; see `KeyPathStep`.
        var names: [UInt: String] = [:]

        /// O(properties of the class)
        func path(of key: String) -> AnyKeyPath? {
            var path: AnyKeyPath?
            accessors?.list { if $1 == key { path = $0 } }
            return path
        }
    }

    private static let known = Mutex<[ObjectIdentifier: Listing]>([:])

    /// The key of the property that a step leads to; nil where no tool wrote the class.
    package static func name(of step: KeyPathStep) -> String? {
        guard let root = step.root as? AnyClass else { return nil }
        return first(of: root) { $0.names[step.identity] }
    }

    /// Whether the class has `@objc` properties, which key-value coding finds before those of an entity.
    package static func hasAccessors(_ type: AnyClass) -> Bool { first(of: type) { $0.accessors } != nil }

    /// The value of an `@objc` property, by its key; nil for none, and the value may be nil itself.
    package static func value(of object: AnyObject, forKey key: String) -> Any?? {
        first(of: type(of: object)) { $0.path(of: key) }.map { $0.codedValue(of: object) }
    }

    /// Sets an `@objc` property, by its key; false for none.
    package static func set(_ value: Any?, of object: AnyObject, forKey key: String) -> Bool {
        first(of: type(of: object)) { $0.path(of: key) }?.setCodedValue(value, of: object) ?? false
    }

    /// The first answer of a class and its superclasses.
    private static func first<Answer>(of type: AnyClass, _ answer: (Listing) -> Answer?) -> Answer? {
        var type: AnyClass? = type
        while let current = type, current != NSObject.self {
            if let answer = answer(listing(of: current)) { return answer }
            type = _getSuperclass(current)
        }
        return nil
    }

    private static func listing(of type: AnyClass) -> Listing {
        if let listing = known.withLock({ $0[ObjectIdentifier(type)] }) { return listing }
        let name = String(reflecting: type)
        var listing = Listing()
        listing.accessors = NSClassFromString(name + "_PortedKeys") as? GeneratedKeyNames.Type
        for tool in [NSClassFromString(name + "_KeyNames") as? GeneratedKeyNames.Type, listing.accessors] {
            tool?.list { keyPath, name in
                if let steps = KeyPathStep.all(of: keyPath), steps.count == 1 {
                    listing.names[steps[0].identity] = name
                }
            }
        }
        known.withLock { [listing] in $0[ObjectIdentifier(type)] = listing }
        return listing
    }
}
