public import Foundation

/// Bookmarks of files, which models keep. Here a bookmark is the file's path: it does not follow a file that moves.
///
/// Foundation has them on Apple's systems, and not on Linux up to Swift 6.3.
extension URL {
    /// The purpose of a bookmark. Linux has no sandbox, so the options change nothing.
    public struct BookmarkCreationOptions: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static let minimalBookmark = Self(rawValue: 1 << 9)
        public static let suitableForBookmarkFile = Self(rawValue: 1 << 10)
        public static let withSecurityScope = Self(rawValue: 1 << 11)
        public static let securityScopeAllowOnlyReadAccess = Self(rawValue: 1 << 12)
    }

    /// The way in which a bookmark is read. The options change nothing here.
    public struct BookmarkResolutionOptions: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static let withoutUI = Self(rawValue: 1 << 8)
        public static let withoutMounting = Self(rawValue: 1 << 9)
        public static let withSecurityScope = Self(rawValue: 1 << 10)
    }

    /// A bookmark of the file. Throws if there is no file.
    @_disfavoredOverload
    public func bookmarkData(
        options: BookmarkCreationOptions = [], includingResourceValuesForKeys keys: Set<URLResourceKey>? = nil,
        relativeTo url: URL? = nil
    ) throws -> Data {
        guard try checkResourceIsReachable() else { throw CocoaError(.fileNoSuchFile, userInfo: ["NSURL": self]) }
        return Data(standardizedFileURL.path.utf8)
    }

    /// The file of a bookmark. Throws if there is no file.
    @_disfavoredOverload
    public init(
        resolvingBookmarkData data: Data, options: BookmarkResolutionOptions = [], relativeTo url: URL? = nil,
        bookmarkDataIsStale: inout Bool
    ) throws {
        let file = String(data: data, encoding: .utf8).map { URL(fileURLWithPath: $0) }
        guard let file, try file.checkResourceIsReachable() else {
            throw CocoaError(.fileNoSuchFile, userInfo: file.map { ["NSURL": $0] } ?? [:])
        }
        bookmarkDataIsStale = false
        self = file
    }

    /// Nothing is to be opened outside of a sandbox.
    @_disfavoredOverload
    public func startAccessingSecurityScopedResource() -> Bool { true }

    /// Closes what `startAccessingSecurityScopedResource()` opened, which is nothing.
    @_disfavoredOverload
    public func stopAccessingSecurityScopedResource() {}
}
