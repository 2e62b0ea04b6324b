package import FirnModel
package import Foundation

/// Compiles an `.xcdatamodeld` to a `.momd`, the folder that a program looks for in its bundle.
///
///     Library.momd/
///         VersionInfo.plist     the current version's name, every version's entity hashes and checksum
///         Library.mom           a version: its canonical XML
///         Library 2.mom
///
/// The folder has the layout of Xcode's. Its versions are XML and not archives of Objective-C classes; the reader
/// distinguishes them by their first bytes. Xcode's own tools cannot read them.
package enum CompiledModelBundle {
    /// Compiles every version of a bundle into a folder, which is made, or whose files of these names are replaced.
    ///
    /// - Parameter module: the module that is added to class names without one; nil adds none.
    /// - Returns: the warnings of reading the versions.
    /// - Throws: `ModelFileError` for a version that does not load, and what writing the files throws.
    @discardableResult
    package static func write(
        _ bundle: ModelBundle, to folder: URL, module: String? = nil
    ) throws -> [ModelIssue] {
        var warnings = bundle.warnings
        var hashes: [String: [String: Data]] = [:]
        var checksums: [String: String] = [:]
        var documents: [(name: String, bytes: [UInt8])] = []
        for version in bundle.versions {
            let loaded = try NSManagedObjectModel.load(contentsOf: version.url)
            warnings += loaded.warnings
            if let module { loaded.model.qualifyClassNames(module: module) }
            hashes[version.name] = loaded.model.entityVersionHashesByName
            checksums[version.name] = loaded.model.versionChecksum
            documents.append((version.name, loaded.model.xcdatamodelContents()))
        }
        let info: [String: Any] = [
            "NSManagedObjectModel_CurrentVersionName": bundle.current.name,
            "NSManagedObjectModel_VersionHashes": hashes,
            "NSManagedObjectModel_VersionChecksums": checksums,
        ]
        let plist = try PropertyListSerialization.data(
            fromPropertyList: info, format: .xml, options: 0)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for document in documents {
            let file = folder.appendingPathComponent(document.name + ".mom")
            try Data(document.bytes).write(to: file, options: .atomic)
        }
        try plist.write(to: folder.appendingPathComponent("VersionInfo.plist"), options: .atomic)
        return warnings
    }
}
