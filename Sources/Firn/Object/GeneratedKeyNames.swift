import FirnRuntime
import Foundation
import Synchronization

/// The keys of the properties of a class that a tool wrote. With each class the tool writes a subclass of this one,
/// `Ship_KeyNames` for `Ship`, which is found by its name: an application does not use it itself.
///
/// Such properties are computed, and Swift gives computed properties no names in key paths.
open class GeneratedKeyNames {
    /// Calls `add` with the key path and the key of each property that the tool wrote for the class itself.
    open class func list(_ add: (AnyKeyPath, String) -> Void) {}

    /// By class, the keys by what tells properties apart; see `KeyPathStep`.
    private static let known = Mutex<[ObjectIdentifier: [UInt: String]]>([:])

    /// The key of the property that a step leads to; nil where no tool wrote the class.
    static func name(of step: KeyPathStep) -> String? {
        guard let root = step.root as? NSManagedObject.Type else { return nil }
        var type: AnyClass? = root
        while let current = type, current != NSManagedObject.self {
            if let name = names(of: current)[step.identity] { return name }
            type = _getSuperclass(current)
        }
        return nil
    }

    private static func names(of type: AnyClass) -> [UInt: String] {
        if let names = known.withLock({ $0[ObjectIdentifier(type)] }) { return names }
        var names: [UInt: String] = [:]
        let listing = NSClassFromString(String(reflecting: type) + "_KeyNames") as? GeneratedKeyNames.Type
        listing?.list { keyPath, name in
            if let steps = KeyPathStep.all(of: keyPath), steps.count == 1 { names[steps[0].identity] = name }
        }
        known.withLock { [names] in $0[ObjectIdentifier(type)] = names }
        return names
    }
}
