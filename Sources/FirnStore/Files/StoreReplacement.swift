package import FirnLog
import FirnProjection
package import Foundation

/// Puts a copy of a store on disk in the place of another one, or of none.
package struct StoreReplacement {
    private let source: URL
    private let destination: URL
    private let fileSystem: any FileSystem

    /// Both logs are on `fileSystem`.
    package init(of destination: URL, with source: URL, fileSystem: any FileSystem = PosixFileSystem()) {
        self.source = source
        self.destination = destination
        self.fileSystem = fileSystem
    }

    /// `close` is called when the copy is sound, and closes the store that is replaced.
    package func run(closing close: () throws -> Void) throws {
        for url in [source, destination] where NullDevice.holds(url) {
            throw CoreDataError.make(
                .persistentStoreOperation,
                "the store \(url.path) is in memory and has no files that could be copied or replaced: "
                    + "use migratePersistentStore(_:to:options:type:)")
        }
        try StoreFiles.refuseServer(
            destination,
            "replaced: each machine that shares it has a copy, with what its contexts and subscriptions have read, "
                + "from which no other store can go on. Destroy it, which they are told of, and make the new one with "
                + "firn push")
        try StoreFiles.refuseServer(
            source, "copied as a file is: bring it with firn pull, and replace the other store with that")
        try StorePlace.refuseDevice(destination)
        do {
            guard source != destination else { return }
            let files = StoreFiles(destination, fileSystem: fileSystem)
            let copy = files.newLogDirectory()
            defer { try? FileManager.default.removeItem(atPath: copy) }
            try copyLog(to: copy)
            try close()
            try files.replaceLog(with: copy)
        } catch {
            throw StoreError.opening(error, path: destination.path)
        }
    }

    /// The copy is opened once, so that what is not sound is found while the old store is still there.
    private func copyLog(to directory: String) throws {
        let from = StoreFiles(source).logDirectory
        let files = StoreFiles(source, fileSystem: fileSystem)
        if let tables = try files.detachedTables() {
            try tables.makeLog(in: directory, fileSystem, date: SystemClock.now())
            return
        }
        guard !files.isDeleted, try SegmentLog.exists(directory: from, fileSystem: fileSystem) else {
            throw CoreDataError.make(
                .persistentStoreOpen, "there is no store at \(source.path) to copy", [NSFilePathErrorKey: source.path])
        }
        let isWritable = access(from, W_OK) == 0
        let durable = ProjectionMark.durable(path: source.path, logDirectory: from, fileSystem: fileSystem)
        let log = try SegmentLog.open(
            directory: from, forWriting: isWritable, atLeast: durable, fileSystem: fileSystem)
        defer { log.close() }
        try log.copy(to: directory, on: fileSystem)
        try SegmentLog.open(directory: directory, forWriting: true, fileSystem: fileSystem).close()
    }
}
