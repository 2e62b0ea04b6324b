import CoreData
import Foundation

/// What an object says in one context, in a form that can be compared with what it says in another.
enum Fingerprint {
    /// A number for the values of all attributes and to-one relationships. Comparable within one run of the program.
    static func values(of object: NSManagedObject) -> Int {
        var hasher = Hasher()
        switch object {
        case let commit as Commit:
            hasher.combine(commit.identifier)
            hasher.combine(commit.number)
            hasher.combine(commit.subject)
            hasher.combine(commit.authored)
            hasher.combine(commit.committed)
            hasher.combine(commit.fileCount)
            hasher.combine(commit.author?.objectID)
            hasher.combine(commit.parent?.objectID)
        case let author as Author:
            hasher.combine(author.name)
            hasher.combine(author.email)
            hasher.combine(author.commitCount)
        case let file as File:
            hasher.combine(file.gitPath)
            hasher.combine(file.gitEntry)
            hasher.combine(file.lastCommit?.objectID)
        default: preconditionFailure("add \(object.entity.name ?? "?") to Fingerprint")
        }
        return hasher.finalize()
    }

    /// The members of each to-many relationship, by its name.
    static func members(of object: NSManagedObject) -> [String: Set<NSManagedObjectID>] {
        var members: [String: Set<NSManagedObjectID>] = [:]
        for (name, relationship) in object.entity.relationshipsByName where relationship.isToMany {
            let objects = object.value(forKey: name) as? Set<NSManagedObject> ?? []
            members[name] = Set(objects.map(\.objectID))
        }
        return members
    }
}
