import CCrypto
import Foundation

/// The input of a version hash: every part with its length, so that different lists of parts never give the same bytes.
struct HashedParts {
    private var bytes: [UInt8] = []

    mutating func add(_ text: String?) {
        guard let text else { return addCount(UInt64.max) }
        addCount(UInt64(text.utf8.count))
        bytes.append(contentsOf: text.utf8)
    }

    mutating func add(_ flag: Bool) { bytes.append(flag ? 1 : 0) }

    mutating func add(_ number: Int) { addCount(UInt64(bitPattern: Int64(number))) }

    mutating func add(_ parts: [[UInt8]]) {
        addCount(UInt64(parts.count))
        for part in parts {
            addCount(UInt64(part.count))
            bytes += part
        }
    }

    /// SHA-256 of all parts (https://docs.openssl.org/3.0/man3/SHA256_Init/).
    var digest: Data {
        var digest = Data(count: Int(SHA256_DIGEST_LENGTH))
        digest.withUnsafeMutableBytes { digest in
            _ = SHA256(bytes, bytes.count, digest.baseAddress?.assumingMemoryBound(to: UInt8.self))
        }
        return digest
    }

    private mutating func addCount(_ count: UInt64) {
        withUnsafeBytes(of: count.littleEndian) { bytes.append(contentsOf: $0) }
    }
}

/// Version hashes: 32 bytes that change when, and only when, objects of the old version cannot be read as objects of
/// the new one. The bytes differ from Apple's, but the same parts enter.
///
/// Defaults, validation, class names, transformers, delete rules, indexes and user info do not enter.
/// https://developer.apple.com/documentation/coredata/nsentitydescription/versionhash
enum VersionHashing {
    static func hash(of entity: NSEntityDescription) -> Data {
        var known: [ObjectIdentifier: Data] = [:]
        return hash(of: entity, known: &known)
    }

    /// The hash of an entity, with the hashes that are known by entity: a subentity's needs its superentity's, so each
    /// is computed once. O(1) amortized, where O(ancestors) have to be computed at most once.
    static func hash(of entity: NSEntityDescription, known: inout [ObjectIdentifier: Data]) -> Data {
        var waiting = [entity]
        while let last = waiting.last, known[ObjectIdentifier(last)] == nil, let above = last.superentity {
            waiting.append(above)
        }
        var above: Data?
        for entity in waiting.dropFirst().reversed() {
            above = known[ObjectIdentifier(entity)] ?? hash(of: entity, below: above)
            known[ObjectIdentifier(entity)] = above
        }
        let digest = known[ObjectIdentifier(entity)] ?? hash(of: entity, below: above)
        known[ObjectIdentifier(entity)] = digest
        return digest
    }

    /// `above` is the version hash of the superentity.
    static func hash(of entity: NSEntityDescription, below above: Data?) -> Data {
        var parts = HashedParts()
        parts.add("entity")
        parts.add(entity.name)
        parts.add(above.map { [[UInt8]($0)] } ?? [])
        parts.add(entity.isAbstract)
        parts.add(
            entity.ownProperties.sortedByUTF8(\.name).filter(enters).map { [UInt8]($0.versionHash) }
        )
        let constraints = entity.uniquenessConstraintNames.map { names in
            names.sortedByUTF8 { $0 }.joined(separator: "\0")
        }
        parts.add(constraints.sortedByUTF8 { $0 }.map { [UInt8]($0.utf8) })
        parts.add(entity.versionHashModifier)
        return parts.digest
    }

    static func hash(of property: NSPropertyDescription) -> Data {
        var parts = HashedParts()
        parts.add(property.name)
        parts.add(property.isOptional)
        parts.add(property.isTransient)
        parts.add(property.versionHashModifier)
        switch property {
        case let attribute as NSAttributeDescription: add(attribute, to: &parts)
        case let relationship as NSRelationshipDescription: add(relationship, to: &parts)
        default: parts.add("other")
        }
        return parts.digest
    }

    /// Fetched properties store nothing.
    private static func enters(_ property: NSPropertyDescription) -> Bool {
        !(property is NSFetchedPropertyDescription)
    }

    private static func add(_ attribute: NSAttributeDescription, to parts: inout HashedParts) {
        parts.add("attribute")
        parts.add(Int(attribute.attributeType.rawValue))
        if let composite = attribute as? NSCompositeAttributeDescription {
            parts.add(composite.elements.sortedByUTF8(\.name).map { [UInt8](hash(of: $0)) })
        }
    }

    private static func add(_ relationship: NSRelationshipDescription, to parts: inout HashedParts)
    {
        parts.add("relationship")
        parts.add(relationship.destinationEntity?.name)
        parts.add(relationship.inverseRelationship?.name)
        parts.add(relationship.minCount)
        parts.add(relationship.maxCount)
        parts.add(relationship.isOrdered)
    }
}
