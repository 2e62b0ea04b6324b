package import Foundation

/// The folder of this package, found from where this file was compiled.
package enum PackageFolder {
    package static let url: URL = URL(filePath: #filePath)
        .deletingLastPathComponent()  // TestSupport
        .deletingLastPathComponent()  // Tests
        .deletingLastPathComponent()
        .standardizedFileURL
}
