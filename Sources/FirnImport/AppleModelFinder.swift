import FirnFoundation
import FirnModel
import FirnProjection
import FirnSQLite
import Foundation

/// Finds the model with which a store was written.
struct AppleModelFinder {
    let file: AppleStoreFile

    /// The model at `url`, or the version in it that fits; without one, the model that the store carries.
    func model(at url: URL?) throws -> NSManagedObjectModel {
        let cached = try cachedModel()
        if let url { return try given(url, cached) }
        guard let cached else {
            throw AppleStoreError(
                .noModel, "the store carries no model that can be read; give the one that it was written with",
                path: file.url.path)
        }
        return cached
    }

    /// The model in `Z_MODELCACHE`: an archive, compressed. Nil if there is none that can be read.
    private func cachedModel() throws -> NSManagedObjectModel? {
        guard try !file.columns(of: "Z_MODELCACHE").isEmpty else { return nil }
        let content = try file.connection.withStatement("SELECT Z_CONTENT FROM Z_MODELCACHE") { statement in
            try statement.step() ? statement.blob(0) : []
        }
        guard !content.isEmpty else { return nil }
        do {
            let bytes = Inflate.expand(content) ?? content
            let loaded = try NSManagedObjectModel.load(document: bytes, name: "the model in \(file.url.path)")
            return loaded.model
        } catch {
            file.addNote("the model that the store carries cannot be read: \(error)")
            return nil
        }
    }

    private func given(_ url: URL, _ cached: NSManagedObjectModel?) throws -> NSManagedObjectModel {
        let versions = (try? ModelBundle(contentsOf: url))?.versions.map(\.url) ?? [url]
        // A version that is named, but does not load, is among those below with what is wrong with it.
        if let named = versionByHashes(url), let model = NSManagedObjectModel(contentsOf: named) { return model }
        var problems: [String] = []
        for version in versions {
            let model: NSManagedObjectModel
            do {
                model = try NSManagedObjectModel.load(contentsOf: version).model
            } catch {
                problems.append("\(error)")
                continue
            }
            if let problem = misfit(model, cached) {
                problems.append("\(version.deletingPathExtension().lastPathComponent): \(problem)")
            } else {
                return model
            }
        }
        throw AppleStoreError(
            .wrongModel,
            "the store was not written with this model (\(problems.joined(separator: "; "))). Give the model that it "
                + "was written with" + (cached == nil ? "" : ", or none: the store carries it")
                + "; opening the new store with a later model migrates it", path: url.path)
    }

    /// Xcode writes the entity hashes of all versions into a `.momd`; the store has those of its own.
    private func versionByHashes(_ url: URL) -> URL? {
        guard let stored = NSManagedObjectModel.versionHashes(in: file.metadata),
            let data = try? Data(contentsOf: url.appendingPathComponent("VersionInfo.plist")),
            let info = PropertyList.dictionary(data),
            let versions = info["NSManagedObjectModel_VersionHashes"] as? [String: [String: Data]]
        else { return nil }
        let name = versions.first { $0.value == stored }?.key
        return name.map { url.appendingPathComponent($0 + ".mom") }
    }

    /// The difference between the model and the store's; nil if it is of the same version.
    private func misfit(_ model: NSManagedObjectModel, _ cached: NSManagedObjectModel?) -> String? {
        if let cached {
            let (mine, stored) = (model.entityVersionHashesByName, cached.entityVersionHashesByName)
            let names = Set(mine.keys).union(stored.keys).filter { mine[$0] != stored[$0] }.sorted()
            return names.isEmpty ? nil : "other versions of " + names.joined(separator: ", ")
        }
        let stored = Set(NSManagedObjectModel.versionHashes(in: file.metadata)?.keys.map { $0 } ?? [])
        let missing = stored.subtracting(model.entitiesByName.keys)
        if !missing.isEmpty { return "it lacks " + missing.sorted().joined(separator: ", ") }
        do {
            _ = try AppleLayout(StoreSchema(model: model, entities: file.members(of: model)), file)
            return nil
        } catch {
            return "\(error)"
        }
    }
}
