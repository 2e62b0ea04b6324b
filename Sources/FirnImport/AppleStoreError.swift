public import Foundation

/// Why a store that Apple's Core Data wrote cannot be imported. Ours, not Apple's.
public struct AppleStoreError: LocalizedError, Sendable {
    /// The kind of trouble.
    public struct Code: RawRepresentable, Hashable, Sendable {
        public var rawValue: String

        public init(rawValue: String) { self.rawValue = rawValue }

        /// There is no such file, or it cannot be read.
        public static let unreadable = Code(rawValue: "unreadable")
        /// The file is no SQLite store of Core Data.
        public static let notAStore = Code(rawValue: "notAStore")
        /// The file is cut off, or SQLite finds it damaged.
        public static let damaged = Code(rawValue: "damaged")
        /// The store carries no model that can be read, and none was given.
        public static let noModel = Code(rawValue: "noModel")
        /// The model that was given is not the one that the store was written with.
        public static let wrongModel = Code(rawValue: "wrongModel")
        /// A value is in a file of its own, and that file is missing.
        public static let missingExternalData = Code(rawValue: "missingExternalData")
        /// Something is where the new store should be.
        public static let destinationExists = Code(rawValue: "destinationExists")
        /// The new store cannot be written.
        public static let unwritable = Code(rawValue: "unwritable")
        /// The import was cancelled.
        public static let cancelled = Code(rawValue: "cancelled")
    }

    public var code: Code
    /// The sentence that says what went wrong and what to do.
    public var message: String
    /// The file that it is about.
    public var path: String
    public var underlying: (any Error)?

    init(_ code: Code, _ message: String, path: String, underlying: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.path = path
        self.underlying = underlying
    }
}

extension AppleStoreError: CustomStringConvertible {
    /// One line.
    public var description: String {
        let line = "\(path): \(message)"
        return underlying.map { line + " (\(Self.reason($0)))" } ?? line
    }

    /// The innermost error in words: Foundation's own descriptions are dumps of several lines.
    private static func reason(_ error: any Error) -> String {
        guard error is CocoaError || type(of: error) is NSError.Type else { return "\(error)" }
        let error = error as NSError
        return (error.userInfo[NSUnderlyingErrorKey] as? any Error).map(reason) ?? error.localizedDescription
    }

    public var errorDescription: String? { description }
}
