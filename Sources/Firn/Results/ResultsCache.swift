import FirnModel
import Foundation
import Synchronization

/// The sections of a fetch, so that performing it again need not read the section name of every object: it may be
/// computed by the program, and cost more than the fetch.
///
/// One for each cache name, for as long as the process lives. An entry counts only for the same request on stores to
/// which nothing was saved since: a request that was changed cannot be given what another one had.
struct ResultsCache {
    struct Run: Sendable {
        let sectionName: String
        var count: Int
    }

    private struct CachedRuns: Sendable {
        let key: String
        let runs: [Run]
    }

    private static let entries = Mutex<[String: CachedRuns]>([:])

    private let name: String
    private let key: String

    /// Nil without a name, without sections, or where unsaved changes may decide.
    init?(_ tracker: ResultsTracker, _ query: ResultsQuery, stores: [NSPersistentStore]) {
        guard let name = tracker.cacheName, let path = tracker.sectionNameKeyPath,
            tracker.context.parent == nil, !tracker.context.hasChanges
        else { return nil }
        let request = tracker.request.settings
        let parts: [String] = [
            query.entity.name ?? "", query.entity.versionHash.base64EncodedString(), path,
            request.predicate?.predicateFormat ?? "",
            "\((request.sortDescriptors ?? []).map(\.description)) \(request.includesSubentities)",
            "\(request.fetchLimit) \(request.fetchOffset) \(request.resultType.rawValue)",
            "\(tracker.request.affectedStores?.map { $0.identifier ?? "" } ?? [])",
        ]
        let states = stores.map { "\($0.identifier ?? "") \($0.historyEngine?.log.head.rawValue ?? 0)" }
        self.name = name
        key = (parts + states).joined(separator: "\n")
    }

    /// The runs of equal section names, if they are known and fit.
    func runs(count: Int) -> [Run]? {
        guard let entry = Self.entries.withLock({ $0[name] }), entry.key == key,
            entry.runs.reduce(0, { $0 + $1.count }) == count
        else { return nil }
        return entry.runs
    }

    func store(_ runs: [Run]) {
        Self.entries.withLock { $0[name] = CachedRuns(key: key, runs: runs) }
    }

    /// Forgets one cache, or all.
    static func delete(name: String?) {
        entries.withLock { entries in
            if let name { entries[name] = nil } else { entries = [:] }
        }
    }
}

extension NSFetchedResultsController {
    /// Forgets the sections kept under a cache name, or under all with nil.
    public class func deleteCache(withName name: String?) { ResultsCache.delete(name: name) }
}
