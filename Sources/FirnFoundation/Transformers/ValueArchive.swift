import Foundation

/// Reads a keyed archive of Foundation's plain classes, and checks one of others before it is decoded.
///
/// Foundation on Linux stops the program at a class that is not allowed, and crashes at a dictionary one of whose
/// members decodes to nothing; a wrong file is no programmer's mistake. An archive is a property list: `$objects` is a
/// table, `$top` names the root's index in it, and every object names its class by index.
struct ValueArchive {
    enum Content {
        case object(NSObject)
        /// An object that stands for nil.
        case null
        /// An object of a class that Foundation's unarchiver has to decode, or a collection of such.
        case others
        case damaged
    }

    /// More nesting than values have: each collection within another is read on the stack.
    private static let depthMax = 100

    private let objects: [Any]
    private let root: Int
    /// The names of the classes that objects must be of, or of a subclass; nil for any.
    private let allowed: Set<String>?
    private var read: [Int: NSObject] = [:]
    private var hasOthers = false

    /// The root of an archive, with all that it holds.
    ///
    /// - Parameter classes: those that the objects must be of, or of a subclass; nil for any.
    static func content(of data: Data, allowing classes: [AnyClass]?) -> Content {
        guard var archive = ValueArchive(data, classes) else { return .damaged }
        if archive.isNull(archive.root) { return .null }
        guard let object = archive.object(at: archive.root, depth: 0) else { return .damaged }
        return archive.hasOthers ? .others : .object(object)
    }

    /// nil if the data is no keyed archive.
    private init?(_ data: Data, _ classes: [AnyClass]?) {
        guard let archive = PropertyList.dictionary(data),
            let objects = archive["$objects"] as? [Any],
            let top = archive["$top"] as? [String: Any],
            let root = top[NSKeyedArchiveRootObjectKey].flatMap(Self.index)
        else { return nil }
        self.objects = objects
        self.root = root
        allowed = classes.map { Set($0.map { NSStringFromClass($0) }) }
    }

    /// The object at an index; nil if it is damaged, or of a class that is not allowed.
    private mutating func object(at index: Int, depth: Int) -> NSObject? {
        if let known = read[index] { return known }
        guard objects.indices.contains(index), depth < Self.depthMax else { return nil }
        let object: NSObject?
        switch objects[index] {
        // What stands for nil is a string too, and no member of a collection.
        case let text as String: object = isAllowed(NSString.self) && !isNull(index) ? NSString(string: text) : nil
        case let number as NSNumber: object = isAllowed(NSNumber.self) ? number : nil
        case let data as Data: object = isAllowed(NSData.self) ? NSData(data: data) : nil
        case let fields as [String: Any]: object = self.object(fields, depth: depth)
        default: object = nil
        }
        read[index] = object
        return object
    }

    private mutating func object(_ fields: [String: Any], depth: Int) -> NSObject? {
        guard let type = archivedClass(of: fields), isAllowed(type) else { return nil }
        switch type {
        case is NSMutableArray.Type: return members(fields["NS.objects"], depth).map { NSMutableArray(array: $0) }
        case is NSArray.Type: return members(fields["NS.objects"], depth).map { NSArray(array: $0) }
        case is NSMutableDictionary.Type: return dictionary(fields, depth)
        case is NSDictionary.Type: return dictionary(fields, depth).flatMap { $0.copy() as? NSDictionary }
        case is NSCountedSet.Type: break
        case is NSMutableSet.Type: return members(fields["NS.objects"], depth).map { NSMutableSet(array: $0) }
        case is NSSet.Type: return members(fields["NS.objects"], depth).map { NSSet(array: $0) }
        case is NSMutableString.Type: return (fields["NS.string"] as? String).map { NSMutableString(string: $0) }
        case is NSString.Type: return (fields["NS.string"] as? String).map { NSString(string: $0) }
        case is NSMutableData.Type: return (fields["NS.data"] as? Data).map { NSMutableData(data: $0) }
        case is NSData.Type: return (fields["NS.data"] as? Data).map { NSData(data: $0) }
        case is NSDate.Type:
            return (fields["NS.time"] as? NSNumber).map { NSDate(timeIntervalSinceReferenceDate: $0.doubleValue) }
        case is NSUUID.Type: return Self.uuid(fields["NS.uuidbytes"])
        case is NSURL.Type: return url(fields, depth)
        case is NSNull.Type: return NSNull()
        default: break
        }
        // The unarchiver makes the object. Its dictionary's two lists must be of one length: it reads past the shorter.
        guard type is any NSCoding.Type else { return nil }
        hasOthers = true
        if fields["NS.keys"] != nil, dictionary(fields, depth) == nil { return nil }
        if fields["NS.objects"] != nil, members(fields["NS.objects"], depth) == nil { return nil }
        return NSNull()
    }

    private mutating func members(_ list: Any?, _ depth: Int) -> [NSObject]? {
        guard let list = list as? [Any] else { return nil }
        var members: [NSObject] = []
        for reference in list {
            guard let index = Self.index(reference), let member = object(at: index, depth: depth + 1)
            else { return nil }
            members.append(member)
        }
        return members
    }

    private mutating func dictionary(_ fields: [String: Any], _ depth: Int) -> NSMutableDictionary? {
        guard let keys = members(fields["NS.keys"], depth), let values = members(fields["NS.objects"], depth),
            keys.count == values.count
        else { return nil }
        let dictionary = NSMutableDictionary()
        for (key, value) in zip(keys, values) { dictionary[key] = value }
        return dictionary
    }

    private static func uuid(_ bytes: Any?) -> NSUUID? {
        guard let bytes = bytes as? Data, bytes.count == 16 else { return nil }
        return NSUUID(uuidBytes: Array(bytes))
    }

    private mutating func url(_ fields: [String: Any], _ depth: Int) -> NSURL? {
        guard let relative = fields["NS.relative"].flatMap(Self.index), objects.indices.contains(relative),
            let text = objects[relative] as? String, let base = fields["NS.base"].flatMap(Self.index)
        else { return nil }
        if isNull(base) { return NSURL(string: text) }
        guard let base = object(at: base, depth: depth + 1) as? NSURL else { return nil }
        return NSURL(string: text, relativeTo: base as URL)
    }

    private func isNull(_ index: Int) -> Bool {
        objects.indices.contains(index) && objects[index] as? String == "$null"
    }

    /// Whether a class or one of its superclasses is among those that may be read. The runtime's superclasses count,
    /// not those in the archive, which may be damaged.
    private func isAllowed(_ type: AnyClass) -> Bool {
        guard let allowed else { return true }
        return sequence(first: type) { _getSuperclass($0) }.contains { allowed.contains(NSStringFromClass($0)) }
    }

    /// The class that an object's fields name; nil if the program has none of that name.
    private func archivedClass(of fields: [String: Any]) -> AnyClass? {
        guard let index = fields["$class"].flatMap(Self.index), objects.indices.contains(index),
            let name = (objects[index] as? [String: Any])?["$classname"] as? String
        else { return nil }
        return NSKeyedUnarchiver.class(forClassName: name) ?? NSClassFromString(name)
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
