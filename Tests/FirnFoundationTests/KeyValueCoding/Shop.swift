import FirnFoundation
import Foundation

/// An object with properties by name, kept in a dictionary.
final class Item: NSObject, KeyValueCoding, @unchecked Sendable {
    var values: [String: Any]
    var undefined: [String] = []

    init(_ values: [String: Any]) { self.values = values }

    func value(forKey key: String) -> Any? {
        if key == "missing" { return value(forUndefinedKey: key) }
        return values[key]
    }

    func setValue(_ value: Any?, forKey key: String) { values[key] = value }

    func value(forUndefinedKey key: String) -> Any? {
        undefined.append(key)
        return nil
    }
}

/// Plain Swift types, which are reflected on.
struct Shop {
    var name: String
    var owner: Owner?
    var items: [Item] = []
}

class Being { var age = 30 }

final class Owner: Being {
    var name: String?

    init(_ name: String?) { self.name = name }
}
