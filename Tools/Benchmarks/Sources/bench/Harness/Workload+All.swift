extension Workload {
    /// Every workload, in the order in which they are shown and run.
    static var all: [Workload] {
        [
            insertItems, batchInsert, fetchItems, rows, dictionaries, objectIDs, count, findOne, findCached,
            updateItems, deleteCascade, insertPersons, fetchPersons, walkPersons, commitsSynced, commitsRelaxed,
            writers, updaters, relatedUpdaters, merge, followers, latency, liveResults,
            busyReaders, rebuild, readLog, logSize, asOf, versions, words, searchable,
            openLog, fiftyMillion,
        ] + models
    }
}
