public import Foundation

/// An `.xcdatamodeld`: a folder with the versions of a model, one of them current.
public struct ModelBundle: Sendable {
    /// One version: an `.xcdatamodel` folder.
    public struct Version: Hashable, Sendable {
        /// The folder's name without its extension.
        public var name: String
        public var url: URL
    }

    public let url: URL
    /// All versions, in the order in which a person counts them: `Model 9` before `Model 10`.
    public let versions: [Version]
    /// The version that `.xccurrentversion` names; without such a file the last one.
    public let current: Version
    public let warnings: [ModelIssue]

    /// - Throws: `ModelFileError` if the folder cannot be read or holds no version.
    public init(contentsOf url: URL) throws {
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: url.path)
        } catch {
            throw ModelFileError(issues: [
                ModelIssue(.error, "the folder cannot be read: \(error.localizedDescription)", url.path)
            ])
        }
        let versions = names.filter { $0.hasSuffix(".xcdatamodel") }
            .sorted { $0.compare($1, options: [.numeric, .caseInsensitive]) == .orderedAscending }
            .map { name in
                Version(
                    name: String(name.dropLast(".xcdatamodel".count)),
                    url: url.appendingPathComponent(name, isDirectory: true))
            }
        guard let last = versions.last else {
            throw ModelFileError(issues: [
                ModelIssue(.error, "the folder holds no .xcdatamodel, so there is no version to read.", url.path)
            ])
        }
        self.url = url
        self.versions = versions
        (current, warnings) = Self.current(in: url, of: versions, otherwise: last)
    }

    private static func current(
        in url: URL, of versions: [Version], otherwise last: Version
    ) -> (Version, [ModelIssue]) {
        let file = url.appendingPathComponent(".xccurrentversion")
        guard let data = try? Data(contentsOf: file) else { return (last, []) }
        let plist = try? PropertyListSerialization.propertyList(from: data, format: nil) as? [String: Any]
        guard let name = plist?["_XCCurrentVersionName"] as? String else {
            let text = "names no current version; '\(last.name)' is taken."
            return (last, [ModelIssue(.warning, text, file.path)])
        }
        if let version = versions.first(where: { $0.url.lastPathComponent == name }) { return (version, []) }
        let text = "names the version '\(name)', which is not there; '\(last.name)' is taken."
        return (last, [ModelIssue(.warning, text, file.path)])
    }
}
