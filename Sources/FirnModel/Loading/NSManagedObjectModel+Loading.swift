import FirnFoundation
public import Foundation

/// A model and the warnings of reading it.
public struct LoadedModel: Sendable {
    /// The model.
    public var model: NSManagedObjectModel
    /// Oddities in the file that do not keep it from being used.
    public var warnings: [ModelIssue]
}

extension NSManagedObjectModel {
    /// The model at `url`: an `.xcdatamodeld` or `.momd` (its current version), an `.xcdatamodel`, a model's XML file,
    /// or a compiled `.mom`. Nil if it cannot be read; `load(contentsOf:)` throws the reason.
    public convenience init?(contentsOf url: URL) {
        self.init()
        do {
            _ = try ModelFile(url: url).read(into: self)
        } catch {
            return nil
        }
    }

    /// The model at `url`, with the warnings about its file.
    ///
    /// - Throws: `ModelFileError` with file, line and remedy of all errors.
    public static func load(contentsOf url: URL) throws -> LoadedModel {
        let model = NSManagedObjectModel()
        let warnings = try ModelFile(url: url).read(into: model)
        return LoadedModel(model: model, warnings: warnings)
    }

    /// The model that `xcdatamodelContents()` wrote. `name` stands for the file in errors.
    package static func load(document: [UInt8], name: String) throws -> LoadedModel {
        let model = NSManagedObjectModel()
        let warnings = try ModelFile.read(Data(document), file: name, into: model)
        return LoadedModel(model: model, warnings: warnings)
    }
}

/// Reads a model from any of the files and folders that hold one.
struct ModelFile {
    let url: URL

    func read(into model: NSManagedObjectModel) throws -> [ModelIssue] {
        switch try shape() {
        case .file:
            let warnings = try Self.read(try data(url), file: url.path, into: model)
            readHashes(of: model)
            return warnings
        case .version: return try readVersion(url, into: model)
        case .bundle:
            let bundle = try ModelBundle(contentsOf: url)
            return try bundle.warnings + ModelFile(url: bundle.current.url).read(into: model)
        }
    }

    static func read(_ data: Data, file: String, into model: NSManagedObjectModel) throws
        -> [ModelIssue]
    {
        let isBinary = data.starts(with: BinaryPropertyList.magic)
        let root = try isBinary ? nil : ModelFileParser.parse(data, file: file)
        guard let root, root.name != "plist" else {
            return try CompiledModelReader.read(KeyedArchive(file: data), file: file, into: model)
        }
        var reader = ModelReader(file: file)
        return try reader.read(root, into: model)
    }

    /// Reads the version hashes of a version in a compiled bundle, which its `VersionInfo.plist` has.
    private func readHashes(of model: NSManagedObjectModel) {
        let bundle = url.deletingLastPathComponent()
        guard url.pathExtension == "mom",
            let data = try? Data(contentsOf: bundle.appendingPathComponent("VersionInfo.plist")),
            let versions = PropertyList.dictionary(data)?["NSManagedObjectModel_VersionHashes"] as? [String: Any],
            let hashes = versions[url.deletingPathExtension().lastPathComponent] as? [String: Any]
        else { return }
        for entity in model.entities {
            // What was compiled here has our own hashes.
            let hash = hashes[entity.name ?? ""] as? Data
            entity.compiledVersionHash = hash == entity.versionHash ? nil : hash
        }
    }

    private enum Shape { case file, version, bundle }

    private func shape() throws -> Shape {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder) else {
            throw error("there is no file or folder at this path.")
        }
        if !isFolder.boolValue { return .file }
        func has(_ name: String) -> Bool {
            FileManager.default.fileExists(atPath: url.appendingPathComponent(name).path)
        }
        if has("contents") { return .version }
        if has("elements") {
            throw error(
                "this model is in the binary form that Xcode wrote before version 4 ('elements'), which is not read "
                    + "here; open and save it in a newer Xcode, which writes 'contents', or compile it with momc and "
                    + "use the .mom.")
        }
        return .bundle
    }

    private func readVersion(_ version: URL, into model: NSManagedObjectModel) throws
        -> [ModelIssue]
    {
        let contents = version.appendingPathComponent("contents")
        return try Self.read(try data(contents), file: contents.path, into: model)
    }

    private func data(_ url: URL) throws -> Data {
        do {
            return try Data(contentsOf: url)
        } catch {
            throw ModelFileError(issues: [
                ModelIssue(
                    .error, "the file cannot be read: \(error.localizedDescription)", url.path)
            ])
        }
    }

    private func error(_ message: String) -> ModelFileError {
        ModelFileError(issues: [ModelIssue(.error, message, url.path)])
    }
}
