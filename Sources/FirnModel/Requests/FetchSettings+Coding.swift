package import Foundation
import class FirnFoundation.NSPredicate
import class FirnFoundation.NSSortDescriptor

/// How fetch requests are archived.
extension FetchSettings {
    private static var flags: [(String, WritableKeyPath<FetchSettings, Bool>)] {
        [
            ("NSIncludesSubentities", \.includesSubentities),
            ("NSIncludesPropertyValues", \.includesPropertyValues),
            ("NSIncludesPendingChanges", \.includesPendingChanges),
            ("NSReturnsObjectsAsFaults", \.returnsObjectsAsFaults),
            ("NSReturnsDistinctResults", \.returnsDistinctResults),
            ("NSShouldRefreshRefetchedObjects", \.shouldRefreshRefetchedObjects),
        ]
    }
    private static var counts: [(String, WritableKeyPath<FetchSettings, Int>)] {
        [
            ("NSFetchLimit", \.fetchLimit), ("NSFetchOffset", \.fetchOffset), ("NSFetchBatchSize", \.fetchBatchSize),
        ]
    }
    private static var properties: [(String, WritableKeyPath<FetchSettings, [Any]?>)] {
        [
            ("NSPropertiesToFetch", \.propertiesToFetch), ("NSPropertiesToGroupBy", \.propertiesToGroupBy),
        ]
    }

    /// Nil where a part cannot be read.
    package init?(coder: NSCoder) {
        guard coder.containsValue(forKey: "NSResultType") else { return nil }
        self.init(entityName: coder.text(forKey: "NSEntityName"))
        for (key, path) in Self.flags { self[keyPath: path] = coder.decodeBool(forKey: key) }
        for (key, path) in Self.counts { self[keyPath: path] = coder.decodeInteger(forKey: key) }
        resultType = NSFetchRequestResultType(rawValue: UInt(bitPattern: coder.decodeInteger(forKey: "NSResultType")))
        nullRule = coder.decodeBool(forKey: "NullRuleOfMemory") ? .memory : .store
        predicate = coder.decodeObject(of: NSPredicate.self, forKey: "NSPredicate")
        havingPredicate = coder.decodeObject(of: NSPredicate.self, forKey: "NSHavingPredicate")
        let list: [AnyClass] = [NSArray.self, NSString.self, NSExpressionDescription.self, NSSortDescriptor.self]
        sortDescriptors = coder.decodeObject(of: list, forKey: "NSSortDescriptors") as? [NSSortDescriptor]
        relationshipKeyPathsForPrefetching = coder.decodeObject(of: list, forKey: "NSPrefetching") as? [String]
        for (key, path) in Self.properties { self[keyPath: path] = coder.decodeObject(of: list, forKey: key) as? [Any] }
        if coder.error != nil { return nil }
    }

    package func encode(with coder: NSCoder) {
        coder.encode(text: entityName, forKey: "NSEntityName")
        for (key, path) in Self.flags { coder.encode(self[keyPath: path], forKey: key) }
        for (key, path) in Self.counts { coder.encode(self[keyPath: path], forKey: key) }
        coder.encode(Int(bitPattern: resultType.rawValue), forKey: "NSResultType")
        coder.encode(nullRule == .memory, forKey: "NullRuleOfMemory")
        coder.encode(predicate, forKey: "NSPredicate")
        coder.encode(havingPredicate, forKey: "NSHavingPredicate")
        coder.encode(sortDescriptors as NSArray?, forKey: "NSSortDescriptors")
        coder.encode(relationshipKeyPathsForPrefetching as NSArray?, forKey: "NSPrefetching")
        for (key, path) in Self.properties {
            coder.encode(self[keyPath: path].map(Self.archived) as NSArray?, forKey: key)
        }
    }

    /// Properties by their names, which the request's entity resolves; expression descriptions as objects.
    private static func archived(_ properties: [Any]) -> [Any] {
        properties.map { property in
            guard let property = property as? NSPropertyDescription, !(property is NSExpressionDescription) else {
                return property
            }
            return property.name
        }
    }
}
