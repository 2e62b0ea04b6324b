import CoreData
import Foundation

/// A file, symbolic link or submodule of the newest commit. Deleted when git deletes it, so that the files of an older
/// commit are those that the store had as of its change set.
final class File: NSManagedObject {
    /// The path as people read it.
    var path: String {
        get { value(forKey: "path") as? String ?? "" }
        set { setValue(newValue, forKey: "path") }
    }

    /// The path's bytes where they are no UTF-8, so that `path` lost some of them; else nil.
    var pathBytes: Data? {
        get { value(forKey: "pathBytes") as? Data }
        set { setValue(newValue, forKey: "pathBytes") }
    }

    var mode: Int {
        get { value(forKey: "mode") as? Int ?? 0 }
        set { setValue(newValue, forKey: "mode") }
    }

    var blob: Data {
        get { value(forKey: "blob") as? Data ?? Data() }
        set { setValue(newValue, forKey: "blob") }
    }

    /// The commit that last wrote the file.
    var lastCommit: Commit? {
        get { value(forKey: "lastCommit") as? Commit }
        set { setValue(newValue, forKey: "lastCommit") }
    }

    /// The path as git has it.
    var gitPath: GitPath {
        get { pathBytes.map { GitPath($0) } ?? GitPath(path.utf8) }
        set {
            path = newValue.display
            pathBytes = newValue.isUTF8 ? nil : Data(newValue.bytes)
        }
    }

    /// What git's tree says of the path.
    var gitEntry: GitEntry { GitEntry(mode: Int32(mode), blob: blob) }
}
