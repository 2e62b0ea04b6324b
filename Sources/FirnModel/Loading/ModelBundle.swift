import FirnFoundation
public import Foundation

/// An `.xcdatamodeld`, or a compiled `.momd`: a folder with the versions of a model, one of them current.
public struct ModelBundle: Sendable {
    /// One version: an `.xcdatamodel` folder, or a `.mom` file.
    public struct Version: Hashable, Sendable {
        /// The name of the folder or file without its extension.
        public var name: String
        /// The version's folder or file.
        public var url: URL
    }

    /// The bundle's folder.
    public let url: URL
    /// All versions, in the order in which a person counts them: `Model 9` before `Model 10`.
    public let versions: [Version]
    /// The version that `.xccurrentversion` or `VersionInfo.plist` names; without such a file the last one.
    public let current: Version
    /// Oddities in the bundle that do not keep it from being used.
    public let warnings: [ModelIssue]

    /// - Throws: `ModelFileError` if the folder cannot be read or holds no version.
    public init(contentsOf url: URL) throws {
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: url.path)
        } catch {
            throw ModelFileError(issues: [
                ModelIssue(
                    .error, "the folder cannot be read: \(error.localizedDescription)", url.path)
            ])
        }
        let extensions = [".xcdatamodel", ".mom"]
        guard
            let suffix = extensions.first(where: { suffix in names.contains { $0.hasSuffix(suffix) }
            })
        else {
            throw ModelFileError(issues: [
                ModelIssue(
                    .error, "there is no .xcdatamodel and no .mom in this folder to read.", url.path
                )
            ])
        }
        let stems = names.filter { $0.hasSuffix(suffix) }.map { String($0.dropLast(suffix.count)) }
        let versions =
            stems
            .sorted { $0.compare($1, options: [.numeric, .caseInsensitive]) == .orderedAscending }
            .map { stem in
                let url = url.appendingPathComponent(
                    stem + suffix, isDirectory: suffix == ".xcdatamodel")
                return Version(name: stem, url: url)
            }
        self.url = url
        self.versions = versions
        (current, warnings) = Self.current(in: url, of: versions)
    }

    private static func current(in url: URL, of versions: [Version]) -> (Version, [ModelIssue]) {
        let last = versions[versions.count - 1]
        let sources = [
            (".xccurrentversion", "_XCCurrentVersionName"),
            ("VersionInfo.plist", "NSManagedObjectModel_CurrentVersionName"),
        ]
        for (fileName, key) in sources {
            let file = url.appendingPathComponent(fileName)
            guard let data = try? Data(contentsOf: file) else { continue }
            guard let name = PropertyList.dictionary(data)?[key] as? String else {
                let text = "names no current version; '\(last.name)' is used."
                return (last, [ModelIssue(.warning, text, file.path)])
            }
            let version = versions.first { $0.name == name || $0.url.lastPathComponent == name }
            if let version { return (version, []) }
            let text = "names the version '\(name)', which is not there; '\(last.name)' is used."
            return (last, [ModelIssue(.warning, text, file.path)])
        }
        return (last, [])
    }
}
