import CoreData
import Foundation

/// What the demo says it has checked: one line each.
struct Checks {
    private(set) var failed = false

    mutating func report(_ what: String, _ difference: String?) {
        if let difference {
            failed = true
            say("DIFFERS  \(what): \(difference)")
        } else {
            say("ok       \(what)")
        }
    }

    /// Up to `count` numbers from 1 to `total`, spread evenly, the first and the last among them.
    static func sample(_ count: Int, of total: Int) -> [Int] {
        guard total > count else { return Array(1...max(total, 1)).filter { $0 <= total } }
        return (0..<count).map { 1 + $0 * (total - 1) / (count - 1) }
    }

    /// The first difference between the files as of a commit and git's tree of it.
    static func difference(
        _ context: NSManagedObjectContext, number: Int, _ repository: GitRepository
    ) throws -> String? {
        try context.performAndWait {
            let request = NSFetchRequest<Commit>(entityName: "Commit")
            request.sortDescriptors = [NSSortDescriptor(key: "number", ascending: false)]
            request.fetchLimit = 1
            guard let commit = try context.fetch(request).first, commit.number == number else {
                return "commit \(number) is not the newest as of its own change set"
            }
            let files = NSFetchRequest<File>(entityName: "File")
            // Every value of every file is compared, so that faults would only fire one by one.
            files.returnsObjectsAsFaults = false
            var tree = try repository.tree(of: commit.identifier)
            let name = "commit \(number), \(Hex.text(commit.identifier))"
            for file in try context.fetch(files) {
                guard let entry = tree.removeValue(forKey: file.gitPath) else {
                    return "\(name): \(file.path) is in the store and not in git"
                }
                if entry != file.gitEntry {
                    return "\(name): \(file.path) has another mode or blob in git"
                }
            }
            return tree.first.map { "\(name): \($0.key.display) is in git and not in the store" }
        }
    }
}
