extension Workload {
    /// Every workload, in the order in which they are shown and run.
    static var all: [Workload] {
        [
            insertItems, batchInsert, fetchItems, dictionaries, objectIDs, count, findOne, findCached, updateItems,
            deleteCascade, commitsSynced, commitsRelaxed, writers, merge, followers, rebuild, readLog, openLog,
        ]
    }
}
