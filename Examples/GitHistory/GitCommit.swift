package import Foundation

/// A commit as git tells it, with what it changed against its first parent.
package struct GitCommit: Hashable {
    /// 20 bytes, or 32 in a repository of SHA-256.
    package var identifier: Data
    /// Nil at the root, and where a shallow clone was cut off.
    package var firstParent: Data?
    package var authorName = ""
    package var authorEmail = ""
    package var authored = Date(timeIntervalSince1970: 0)
    package var committed = Date(timeIntervalSince1970: 0)
    package var subject = ""
    package var changes: [GitChange] = []

    package init(identifier: Data) { self.identifier = identifier }
}

/// What one path is from a commit on.
package struct GitChange: Hashable {
    package var path: GitPath
    /// Nil when the path is gone.
    package var entry: GitEntry?

    package init(path: GitPath, entry: GitEntry?) {
        self.path = path
        self.entry = entry
    }
}

/// What a tree says of a path: `100644` file, `100755` program, `120000` symbolic link, `160000` submodule.
package struct GitEntry: Hashable {
    package var mode: Int32
    /// The blob; for a submodule, its commit.
    package var blob: Data

    package init(mode: Int32, blob: Data) {
        self.mode = mode
        self.blob = blob
    }
}

/// A path in a tree: bytes, which are UTF-8 by custom only.
package struct GitPath: Hashable {
    package var bytes: [UInt8]

    package init(_ bytes: some Sequence<UInt8>) { self.bytes = Array(bytes) }

    /// For people: what is no UTF-8 shows as U+FFFD.
    package var display: String { String(decoding: bytes, as: UTF8.self) }

    /// Whether `display` holds the bytes without loss.
    package var isUTF8: Bool { String(validating: bytes, as: UTF8.self) != nil }
}
