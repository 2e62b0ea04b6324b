#if SwiftData
import Dispatch
import Firn
import Foundation

extension ModelContainer {
    /// The identifiers of the models that a descriptor describes, read on another thread. Ours, not Apple's.
    ///
    /// It finds saved models. Throws as `ModelContext.fetch(_:)`.
    public final func identifiers<T: PersistentModel>(
        matching descriptor: FetchDescriptor<T>
    ) async throws -> [PersistentIdentifier] {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async {
                continuation.resume(
                    with: Result {
                        let objects = try ModelContext(self).objects(descriptor)
                        return objects.map { PersistentIdentifier($0.objectID) }
                    })
            }
        }
    }
}

extension ModelContext {
    /// The models that a descriptor describes: another thread asks the store and reads the rows. Ours, not Apple's.
    ///
    /// The caller's actor is free meanwhile. With unsaved changes that count, the caller's thread compares them.
    nonisolated(nonsending) public final func models<T: PersistentModel>(
        matching descriptor: FetchDescriptor<T>
    ) async throws -> [T] {
        let identifiers = try await container.identifiers(matching: descriptor)
        // The rows are in the container's row cache now.
        if descriptor.includePendingChanges, hasChanges { return try fetch(descriptor) }
        return identifiers.compactMap { object(for: $0).map(model(of:)) as? T }
    }
}
#endif
