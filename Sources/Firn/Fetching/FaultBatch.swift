import FirnModel

/// Neighbours in the result of a fetch with `fetchBatchSize`: the first of their faults that fires reads the rows of
/// all.
final class FaultBatch: FaultLoading {
    private let objects: [NamedObjects]
    private let entity: NSEntityDescription?
    private let paths: [String]
    private unowned let context: NSManagedObjectContext
    private var isLoaded = false

    /// - Parameter entity: of one of the objects, from which `paths` lead.
    init(
        _ objects: [NamedObjects], entity: NSEntityDescription?, _ paths: [String], _ context: NSManagedObjectContext
    ) {
        self.objects = objects
        self.entity = entity
        self.paths = paths
        self.context = context
    }

    /// Cuts the results of a fetch into batches. No I/O.
    static func arrange(
        _ objects: [NSManagedObject], size: Int, prefetching paths: [String], in context: NSManagedObjectContext
    ) {
        for start in stride(from: 0, to: objects.count, by: size) {
            let slice = objects[start..<min(start + size, objects.count)]
            guard slice.contains(where: \.isFault) else { continue }
            let batch = FaultBatch(
                NamedObjects.stored(slice), entity: slice.first { $0.key.primaryKey > 0 }?.entity, paths, context)
            for object in slice where object.isFault { object.consumeHints().batch = batch }
        }
    }

    /// Reads the rows that are not in the row cache, in one statement for each root entity. What fails is left to the
    /// read of the single object, which reports it.
    func load() {
        guard !isLoaded else { return }
        isLoaded = true
        try? context.loadRows(of: objects)
        guard !paths.isEmpty, let entity else { return }
        try? Prefetch(context).load(paths, of: objects.flatMap(context.objects), entity: entity)
    }
}
