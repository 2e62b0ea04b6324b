#if SwiftData
import Firn
import FirnModel
import Foundation

extension ModelContext {
    /// Calls a block with each model that a descriptor describes, unsaved ones among them, and keeps the values of one
    /// batch at a time.
    ///
    /// Throws `modelValidationFailure` if the block leaves unsaved changes, unless `allowEscapingMutations`.
    /// - Complexity: one statement for the identifiers of all, and one for each batch.
    /// https://developer.apple.com/documentation/swiftdata/modelcontext
    public final func enumerate<T: PersistentModel>(
        _ fetch: FetchDescriptor<T>, batchSize: Int = 5000, allowEscapingMutations: Bool = false,
        block: (_ model: T) throws -> Void
    ) throws {
        let hadChanges = hasChanges
        let size = max(batchSize, 1)
        let request = try request(for: fetch, ModelObject.self)
        request.fetchBatchSize = size
        let objects = try asking(fetch) { try answered(request) }
        for start in stride(from: 0, to: objects.count, by: size) {
            let batch = objects[start..<min(start + size, objects.count)]
            for object in batch where object.managedObjectContext != nil && !object.isDeleted {
                if let model = model(of: object) as? T { try block(model) }
            }
            if !allowEscapingMutations, !hadChanges, hasChanges {
                throw SwiftDataError.modelValidationFailure.because(
                    "the block of enumerate changed models: save in it, or allow escaping mutations")
            }
            for object in batch where !object.hasModel && !object.hasChanges && !object.isFault {
                managed.refresh(object, mergeChanges: false)
            }
        }
    }
}
#endif
