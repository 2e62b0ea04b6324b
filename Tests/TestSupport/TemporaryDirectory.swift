package import Foundation

/// A fresh folder that is removed, with all that is in it, when the last reference goes.
///
/// Hold it in a property of the suite, or use `withTemporaryDirectory`: a local that is last used before the
/// test's end may be released, and its folder removed, before the test ends.
package final class TemporaryDirectory: Sendable {
    package let url: URL

    package init(_ name: String = "firn-test") throws {
        StoresOnServer.begin
        url = FileManager.default.temporaryDirectory
            .appending(path: "\(name)-\(UUID().uuidString)", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        // A test may have taken away its own permission to write; what cannot be removed is left to the system.
        try? FileManager.default.removeItem(at: url)
    }

    package var path: String { url.path(percentEncoded: false) }

    package func file(_ name: String) -> URL { url.appending(path: name) }
}

/// Calls `body` with a fresh folder and removes it afterwards, also when `body` throws.
package func withTemporaryDirectory<R>(_ body: (URL) throws -> R) throws -> R {
    let directory = try TemporaryDirectory()
    return try withExtendedLifetime(directory) { try body(directory.url) }
}

/// Calls `body` with a fresh folder and removes it afterwards, also when `body` throws.
package func withTemporaryDirectory<R>(
    isolation: isolated (any Actor)? = #isolation, _ body: (URL) async throws -> R
) async throws -> R {
    let directory = try TemporaryDirectory()
    let result = try await body(directory.url)
    withExtendedLifetime(directory) {}
    return result
}
