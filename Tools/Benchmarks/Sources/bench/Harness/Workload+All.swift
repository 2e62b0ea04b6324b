extension Workload {
    /// Every workload, in the order in which they are shown and run.
    static var all: [Workload] {
        [
            insertItems, fetchItems, dictionaries, objectIDs, count, updateItems, deleteCascade, commitsSynced,
            commitsRelaxed, writers, merge, followers,
        ]
    }
}
