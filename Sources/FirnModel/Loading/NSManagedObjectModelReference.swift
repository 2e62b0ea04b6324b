public import Foundation

import func FirnFoundation.misuse

/// A model that is named rather than held: the versions of a staged migration.
///
/// The checksum makes sure that what is found is what was meant: `resolvedModel` stops the program if it is not.
/// https://developer.apple.com/documentation/coredata/nsmanagedobjectmodelreference
open class NSManagedObjectModelReference: NSObject {
    private enum Source {
        case model(NSManagedObjectModel)
        case file(URL)
        case entityVersionHashes([AnyHashable: Any], Bundle?)
        case name(String, Bundle?)
    }

    /// The `versionChecksum` that the model must have.
    open private(set) var versionChecksum: String

    private let source: Source
    private let lock = NSLock()
    /// Guarded by `lock`.
    private var resolved: NSManagedObjectModel?

    /// A reference to a model.
    public init(model: NSManagedObjectModel, versionChecksum: String) {
        source = .model(model)
        self.versionChecksum = versionChecksum
    }

    /// A reference to a model's file.
    public init(fileURL: URL, versionChecksum: String) {
        source = .file(fileURL)
        self.versionChecksum = versionChecksum
    }

    /// The model, among those in `bundle` (the main bundle for nil), whose entities have these version hashes.
    public init(
        entityVersionHashes versionHash: [AnyHashable: Any], in bundle: Bundle?,
        versionChecksum: String
    ) {
        source = .entityVersionHashes(versionHash, bundle)
        self.versionChecksum = versionChecksum
    }

    /// The model file of that name, without extension, in `bundle` (the main bundle for nil).
    public init(name modelName: String, in bundle: Bundle?, versionChecksum: String) {
        source = .name(modelName, bundle)
        self.versionChecksum = versionChecksum
    }

    /// The model. The first access reads it.
    public final var resolvedModel: NSManagedObjectModel {
        do {
            return try resolve()
        } catch {
            misuse("\(error)")
        }
    }

    /// The model, or why there is none.
    package final func resolve() throws -> NSManagedObjectModel {
        lock.lock()
        defer { lock.unlock() }
        if let resolved { return resolved }
        let model = try find()
        guard model.versionChecksum == versionChecksum else {
            throw ModelFileError(issues: [
                ModelIssue(
                    .error,
                    "the model's version checksum is \(model.versionChecksum), not \(versionChecksum).",
                    place)
            ])
        }
        resolved = model
        return model
    }

    private var place: String {
        switch source {
        case .model: "(a model in memory)"
        case .file(let url): url.path
        case .entityVersionHashes(_, let bundle): (bundle ?? .main).bundlePath
        case .name(let name, let bundle): "\(name) in \((bundle ?? .main).bundlePath)"
        }
    }

    private func find() throws -> NSManagedObjectModel {
        switch source {
        case .model(let model): return model
        case .file(let url): return try NSManagedObjectModel.load(contentsOf: url).model
        case .entityVersionHashes(let hashes, let bundle):
            let wanted = hashes as? [String: Data] ?? [:]
            let models = ModelSearch.allVersions(in: [bundle ?? .main])
            if let found = models.first(where: { $0.entityVersionHashesByName == wanted }) {
                return found
            }
        case .name(let name, let bundle):
            let urls = ModelSearch.urls(in: [bundle ?? .main])
            if let model = try Self.find(name, among: urls) { return model }
        }
        throw ModelFileError(issues: [ModelIssue(.error, "there is no such model.", place)])
    }

    /// A model of that name, or a version of that name inside a bundle of versions.
    private static func find(_ name: String, among urls: [URL]) throws -> NSManagedObjectModel? {
        if let url = urls.first(where: { $0.deletingPathExtension().lastPathComponent == name }) {
            return try NSManagedObjectModel.load(contentsOf: url).model
        }
        for url in urls {
            guard let bundle = try? ModelBundle(contentsOf: url) else { continue }
            if let version = bundle.versions.first(where: { $0.name == name }) {
                return try NSManagedObjectModel.load(contentsOf: version.url).model
            }
        }
        return nil
    }
}
