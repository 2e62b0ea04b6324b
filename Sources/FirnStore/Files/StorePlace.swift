import FirnModel
package import Foundation

/// Where stores may be.
package enum StorePlace {
    /// Where a store of the type is. On disk there has to be a folder for it.
    package static func url(_ url: URL?, _ type: String) throws -> URL {
        switch type {
        case NSInMemoryStoreType: return url ?? NullDevice.url
        case NSSQLiteStoreType, NSBinaryStoreType: break
        default:
            // A class of the application's own may keep its objects anywhere.
            let url = url ?? NullDevice.url
            return url.isFileURL ? url.standardizedFileURL : url
        }
        // Whether anybody opens logs at such addresses is known when the store is opened.
        if type == NSSQLiteStoreType, let url, !url.isFileURL, url.absoluteString.contains("://") { return url }
        if type == NSSQLiteStoreType, let url, NullDevice.holds(url) { return url.standardizedFileURL }
        guard let url, url.isFileURL else {
            throw CoreDataError.make(
                .persistentStoreOpen, "a store on disk needs a file URL, not \(url?.absoluteString ?? "nil")")
        }
        return try placed(url)
    }

    /// The place of a store on disk, whose folder has to be there.
    package static func placed(_ url: URL) throws -> URL {
        let place = url.standardizedFileURL
        var isDirectory: ObjCBool = false
        let folder = place.deletingLastPathComponent().path
        guard FileManager.default.fileExists(atPath: folder, isDirectory: &isDirectory), isDirectory.boolValue else {
            throw CoreDataError.make(
                .persistentStoreOpen,
                "cannot open the store \(place.path): there is no folder \(folder); create it first",
                [NSFilePathErrorKey: place.path])
        }
        try refuseDevice(place)
        return place
    }

    /// Throws if a device, a pipe or a socket is at the place: none of them may be replaced or removed.
    package static func refuseDevice(_ url: URL) throws {
        var information = stat()
        guard url.isFileURL, stat(url.path, &information) == 0,
            ![S_IFREG, S_IFDIR].contains(information.st_mode & S_IFMT)
        else { return }
        throw CoreDataError.make(
            .persistentStoreOperation,
            "\(url.path) is a device, a pipe or a socket, and no store can be there: name another place",
            [NSFilePathErrorKey: url.path])
    }
}
