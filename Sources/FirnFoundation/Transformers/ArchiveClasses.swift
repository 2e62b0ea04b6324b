import Foundation

/// Looks into a keyed archive before it is read, since Foundation on Linux ends the program when it
/// meets a class that is not allowed, and what a file holds is no programmer's mistake.
///
/// An archive is a property list: `$objects` is a table, `$top` names the root's index in it, and
/// every object names its class by index. Checked are the root and the members of collections; what
/// an object of its own class decodes is between that class and the unarchiver.
struct ArchiveClasses {
    private let objects: [Any]
    private let root: Int
    private let allowed: Set<String>

    /// nil if the data is no keyed archive.
    init?(_ data: Data, allowed: [AnyClass]) {
        guard let archive = PropertyList.dictionary(data),
            let objects = archive["$objects"] as? [Any],
            let top = archive["$top"] as? [String: Any],
            let root = top[NSKeyedArchiveRootObjectKey].flatMap(ArchiveClasses.index)
        else { return nil }
        self.objects = objects
        self.root = root
        self.allowed = Set(allowed.map { NSStringFromClass($0) })
    }

    /// Whether the root and all members of its collections are of allowed classes.
    var areAllowed: Bool {
        var pending = [root]
        var seen: Set<Int> = []
        while let index = pending.popLast() {
            if !seen.insert(index).inserted { continue }
            guard objects.indices.contains(index) else { return false }
            let object = objects[index]
            guard let names = classNames(of: object), !allowed.isDisjoint(with: names) else {
                return false
            }
            guard let fields = object as? [String: Any] else { continue }
            // Foundation reads past the end of the shorter list of a dictionary's two.
            if fields["NS.keys"] != nil || names.contains("NSDictionary") {
                guard let keys = fields["NS.keys"] as? [Any], let values = fields["NS.objects"] as? [Any],
                    keys.count == values.count, (keys + values).allSatisfy(isObject)
                else { return false }
            }
            for field in ["NS.objects", "NS.keys"] {
                let members = fields[field] as? [Any] ?? []
                pending += members.compactMap(ArchiveClasses.index)
            }
        }
        return true
    }

    /// Whether a member of a collection is one: what is none, the unarchiver leaves out.
    private func isObject(_ reference: Any) -> Bool {
        guard let index = Self.index(reference), objects.indices.contains(index) else { return false }
        return objects[index] as? String != "$null"
    }

    /// The object's class and its superclasses by name; nil if the archive is damaged there.
    private func classNames(of object: Any) -> [String]? {
        switch object {
        case let text as String:
            // What stands for nil is a string, and is allowed everywhere.
            return text == "$null" ? Array(allowed) : ["NSString"]
        case is NSNumber: return ["NSNumber"]
        case is Data: return ["NSData"]
        case let fields as [String: Any]:
            guard let index = fields["$class"].flatMap(ArchiveClasses.index),
                objects.indices.contains(index),
                let described = objects[index] as? [String: Any],
                let name = described["$classname"] as? String,
                let found = NSKeyedUnarchiver.class(forClassName: name) ?? NSClassFromString(name)
            else { return nil }
            // What the archive says of superclasses is not what decides: it may be damaged.
            return Array(sequence(first: found) { _getSuperclass($0) }.map { NSStringFromClass($0) })
        default: return nil
        }
    }

    /// The index in a reference, whose class Foundation does not show for lists in XML.
    private static func index(_ reference: Any) -> Int? {
        if let reference = reference as? ArchiveReference { return reference.value }
        for child in Mirror(reflecting: reference).children where child.label == "value" {
            return (child.value as? any FixedWidthInteger).flatMap { Int(exactly: $0) }
        }
        return nil
    }
}
