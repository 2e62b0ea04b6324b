package import FirnLog

/// The file system that the log of a store on disk is on, as a store option: an `any FileSystem` whose paths are the
/// operating system's. Without it, it is the operating system's own.
package let PersistentStoreFileSystemOption = "PersistentStoreFileSystem"

/// The file system of the log by the options of a store.
package enum LogFileSystem {
    package static func of(_ options: [AnyHashable: Any]?) -> any FileSystem {
        StoreOptions.fileSystem.value(in: options) ?? PosixFileSystem()
    }
}
