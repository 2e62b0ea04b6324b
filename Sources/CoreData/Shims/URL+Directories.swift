public import Foundation

/// The user's folders, as `FileManager.urls(for:in:)` names them.
///
/// Foundation has them on Apple's systems (macOS 13, iOS 16), and not on Linux up to Swift 6.3.
extension URL {
    /// The user's documents.
    @_disfavoredOverload public static var documentsDirectory: URL { folder(.documentDirectory) }
    /// The files that a program can make again.
    @_disfavoredOverload public static var cachesDirectory: URL { folder(.cachesDirectory) }
    /// The files that a program needs, and the user does not open.
    @_disfavoredOverload public static var applicationSupportDirectory: URL { folder(.applicationSupportDirectory) }
    /// The folder of programs' files.
    @_disfavoredOverload public static var libraryDirectory: URL { folder(.libraryDirectory) }
    /// The user's downloads.
    @_disfavoredOverload public static var downloadsDirectory: URL { folder(.downloadsDirectory) }

    private static func folder(_ directory: FileManager.SearchPathDirectory) -> URL {
        // Foundation on Linux has no folder of programs' files.
        FileManager.default.urls(for: directory, in: .userDomainMask).first
            ?? homeDirectory.appending(path: ".local/share", directoryHint: .isDirectory)
    }
}

extension NSURL {
    /// The URL of a path: `URL(fileURLWithPath:)`.
    ///
    /// Foundation has it on Apple's systems, and not on Linux up to Swift 6.3.
    @_disfavoredOverload
    public class func fileURL(withPath path: String) -> URL { URL(fileURLWithPath: path) }

    /// The URL of a path that says whether it is a folder's.
    ///
    /// Foundation has it on Apple's systems, and not on Linux up to Swift 6.3.
    @_disfavoredOverload
    public class func fileURL(withPath path: String, isDirectory: Bool) -> URL {
        URL(fileURLWithPath: path, isDirectory: isDirectory)
    }
}

extension FileManager {
    /// The folder of a group of applications, which is made in the user's folder of programs' files.
    ///
    /// Foundation has it on Apple's systems, where the group must be among the program's entitlements.
    @_disfavoredOverload
    public func containerURL(forSecurityApplicationGroupIdentifier groupIdentifier: String) -> URL? {
        let folder = URL.applicationSupportDirectory.appending(
            path: "Group Containers/\(groupIdentifier)", directoryHint: .isDirectory)
        do {
            try createDirectory(at: folder, withIntermediateDirectories: true)
            return folder
        } catch {
            return nil
        }
    }
}

/// The key of a file that backups leave out, as Core Foundation names it on Apple's systems.
public let kCFURLIsExcludedFromBackupKey = "NSURLIsExcludedFromBackupKey"

/// Foundation's kinds of file protection can be compared on Apple's systems, and not on Linux up to Swift 6.3.
extension FileProtectionType: @retroactive Hashable {}
