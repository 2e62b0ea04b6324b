package import Foundation
package import Testing

/// Real models, stores and predicates from public repositories, against which the tests read.
///
/// The corpus is no part of the package. It is looked for in the folder that the environment variable
/// `FIRN_CORPUS` names, else in `../shared/corpus` beside the package. Tests that need it carry the trait
/// `.needsCorpus`, and are reported as skipped, with the reason, where it is absent.
package enum Corpus {
    /// The corpus' folder; nil where there is none.
    package static let folder: URL? = {
        let environment = ProcessInfo.processInfo.environment
        let candidate =
            environment["FIRN_CORPUS"].map { URL(filePath: $0, directoryHint: .isDirectory) }
            ?? PackageFolder.url.appending(path: "../shared/corpus").standardizedFileURL
        var isDirectory: ObjCBool = false
        let exists = FileManager.default.fileExists(
            atPath: candidate.path, isDirectory: &isDirectory)
        return exists && isDirectory.boolValue ? candidate : nil
    }()

    package static var isPresent: Bool { folder != nil }

    /// The URL of a file or folder of the corpus, by its path there: `models/owntracks__ios`.
    ///
    /// Traps where there is no corpus: give the test the trait `.needsCorpus`.
    package static func url(_ path: String) -> URL {
        guard let folder else {
            preconditionFailure("there is no corpus here; the test needs the trait .needsCorpus")
        }
        return folder.appending(path: path)
    }

    /// All files and bundles below `path` whose name has the extension, in the order of their paths.
    ///
    /// What lies inside a match is not looked at: an `.xcdatamodeld` is found, not its versions.
    package static func urls(below path: String, withExtension pathExtension: String) -> [URL] {
        let enumerator = FileManager.default.enumerator(
            at: url(path), includingPropertiesForKeys: nil)
        var found: [URL] = []
        while let entry = enumerator?.nextObject() as? URL {
            guard entry.pathExtension == pathExtension else { continue }
            found.append(entry)
            enumerator?.skipDescendants()
        }
        return found.sorted { $0.path < $1.path }
    }
}

extension Trait where Self == ConditionTrait {
    /// Skips a test or suite where the corpus is absent, and says so.
    package static var needsCorpus: Self {
        .enabled(
            if: Corpus.isPresent,
            "the corpus is absent: set FIRN_CORPUS to its folder, or put it at ../shared/corpus")
    }
}
