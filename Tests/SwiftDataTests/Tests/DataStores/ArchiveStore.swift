import Foundation
import SwiftData
import Synchronization

/// What goes wrong in an archive.
enum ArchiveError: Error, Equatable {
    case nameless
    case full
    case offline
}

/// What tests tell an archive to do, and see of it.
final class ArchiveSwitches: Sendable {
    struct Values {
        var saveError: ArchiveError?
        var fetchError: ArchiveError?
        var isForeign = false
        var canErase = true
        var fetches = 0
        var states: Set<UUID> = []
        var authors: [String?] = []
    }

    let values = Mutex(Values())
}

/// Where an archive is.
struct ArchiveConfiguration: DataStoreConfiguration {
    typealias Store = ArchiveStore

    var name = "archive"
    var schema: Schema?
    var url: URL
    var switches = ArchiveSwitches()

    func validate() throws { if name.isEmpty { throw ArchiveError.nameless } }

    static func == (lhs: Self, rhs: Self) -> Bool { lhs.name == rhs.name && lhs.url == rhs.url }
    func hash(into hasher: inout Hasher) { hasher.combine(url) }
}

/// A store that is one JSON file, and leaves filters and orders to be done in memory.
final class ArchiveStore: DataStore {
    typealias Configuration = ArchiveConfiguration
    typealias Snapshot = DefaultSnapshot

    private struct File: Codable {
        var identifier: String
        var snapshots: [DefaultSnapshot]
    }

    let configuration: ArchiveConfiguration
    let schema: Schema
    let identifier: String

    init(_ configuration: ArchiveConfiguration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws {
        self.configuration = configuration
        schema = configuration.schema ?? Schema()
        if configuration.switches.values.withLock({ $0.isForeign }) { throw SwiftDataError.unknownDataStoreSchema }
        guard FileManager.default.fileExists(atPath: configuration.url.path) else {
            identifier = UUID().uuidString
            return
        }
        let data = try Data(contentsOf: configuration.url)
        identifier = try JSONDecoder().decode(File.self, from: data).identifier
    }

    private func read() throws -> [PersistentIdentifier: DefaultSnapshot] {
        guard FileManager.default.fileExists(atPath: configuration.url.path) else { return [:] }
        let file = try JSONDecoder().decode(File.self, from: Data(contentsOf: configuration.url))
        return Dictionary(uniqueKeysWithValues: file.snapshots.map { ($0.persistentIdentifier, $0) })
    }

    private func write(_ snapshots: [PersistentIdentifier: DefaultSnapshot]) throws {
        let sorted = snapshots.values.sorted { $0.persistentIdentifier < $1.persistentIdentifier }
        try JSONEncoder().encode(File(identifier: identifier, snapshots: sorted)).write(to: configuration.url)
    }

    func fetch<T: PersistentModel>(
        _ request: DataStoreFetchRequest<T>
    ) throws -> DataStoreFetchResult<T, DefaultSnapshot> {
        try configuration.switches.values.withLock { values in
            values.fetches += 1
            if let error = values.fetchError { throw error }
        }
        if request.descriptor.predicate != nil { throw DataStoreError.preferInMemoryFilter }
        if !request.descriptor.sortBy.isEmpty { throw DataStoreError.preferInMemorySort }
        let all = try read()
        let entity = Schema.entityName(for: T.self)
        let names = [entity] + (schema.entitiesByName[entity]?.subentities.map(\.name) ?? [])
        let found = all.values.filter { names.contains($0.persistentIdentifier.entityName) }
            .sorted { $0.persistentIdentifier < $1.persistentIdentifier }
        let rest = found.dropFirst(request.descriptor.fetchOffset ?? 0)
        return DataStoreFetchResult(
            descriptor: request.descriptor,
            fetchedSnapshots: Array(rest.prefix(request.descriptor.fetchLimit ?? rest.count)), relatedSnapshots: all)
    }

    func save(
        _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
    ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
        try configuration.switches.values.withLock { values in
            values.authors.append(request.editingState.author)
            if let error = values.saveError { throw error }
        }
        var all = try read()
        var remapped: [PersistentIdentifier: PersistentIdentifier] = [:]
        for snapshot in request.inserted {
            let old = snapshot.persistentIdentifier
            remapped[old] = try .identifier(for: identifier, entityName: old.entityName, primaryKey: UUID())
        }
        for snapshot in request.inserted + request.updated {
            let id = remapped[snapshot.persistentIdentifier] ?? snapshot.persistentIdentifier
            all[id] = snapshot.copy(persistentIdentifier: id, remappedIdentifiers: remapped)
        }
        for snapshot in request.deleted { all[snapshot.persistentIdentifier] = nil }
        try write(all)
        return DataStoreSaveChangesResult(for: identifier, remappedIdentifiers: remapped)
    }

    func erase() throws {
        guard configuration.switches.values.withLock({ $0.canErase }) else { throw DataStoreError.unsupportedFeature }
        try write([:])
    }

    func initializeState(for editingState: EditingState) {
        configuration.switches.values.withLock { _ = $0.states.insert(editingState.id) }
    }

    func invalidateState(for editingState: EditingState) {
        configuration.switches.values.withLock { _ = $0.states.remove(editingState.id) }
    }
}
