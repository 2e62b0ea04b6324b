import CoreData
import Foundation

/// A small wrapper as many applications have one: every call tells its end by a closure for success or for failure.
final class UploadStore {
    typealias Success<Value> = (Value) -> Void
    typealias Failure = (Error) -> Void

    private let container: NSPersistentContainer
    private lazy var context = container.newBackgroundContext()

    init(folder: URL) {
        let modelURL = Bundle.module.url(forResource: "Uploads", withExtension: "xcdatamodeld")!
        let model = NSManagedObjectModel(contentsOf: modelURL)!
        container = NSPersistentContainer(name: "Uploads", managedObjectModel: model)
        let description = NSPersistentStoreDescription(url: folder.appendingPathComponent("Uploads.sqlite"))
        container.persistentStoreDescriptions = [description]
    }

    func open(success: @escaping Success<Void>, failure: @escaping Failure) {
        container.loadPersistentStores { _, error in
            if let error { failure(error) } else { success(()) }
        }
    }

    func add(fileName: String, byteCount: Int64, success: Success<UUID>, failure: Failure) {
        context.performAndWait {
            let record = UploadRecord(context: context)
            let identifier = UUID()
            record.identifier = identifier
            record.fileName = fileName
            record.byteCount = byteCount
            record.status = .waiting
            record.created = Date()
            save(success: { success(identifier) }, failure: failure)
        }
    }

    func setStatus(
        _ status: UploadRecord.Status, of identifier: UUID, success: Success<Void>, failure: Failure
    ) {
        context.performAndWait {
            do {
                guard let record = try find(identifier) else {
                    return failure(CocoaError(.managedObjectReferentialIntegrity))
                }
                record.status = status
                save(success: { success(()) }, failure: failure)
            } catch {
                failure(error)
            }
        }
    }

    /// The names of the files with a status, oldest first.
    func fileNames(with status: UploadRecord.Status, success: Success<[String]>, failure: Failure) {
        context.performAndWait {
            let request = NSFetchRequest<UploadRecord>(entityName: "UploadRecord")
            request.predicate = NSPredicate(format: "%K == %d", "status", Int(status.rawValue))
            request.sortDescriptors = [
                NSSortDescriptor(keyPath: \UploadRecord.created, ascending: true),
                NSSortDescriptor(keyPath: \UploadRecord.fileName, ascending: true),
            ]
            do {
                success(try context.fetch(request).map(\.fileName))
            } catch {
                failure(error)
            }
        }
    }

    func removeAll(success: Success<Int>, failure: Failure) {
        context.performAndWait {
            do {
                let records = try context.fetch(NSFetchRequest<UploadRecord>(entityName: "UploadRecord"))
                records.forEach(context.delete)
                save(success: { success(records.count) }, failure: failure)
            } catch {
                failure(error)
            }
        }
    }

    private func find(_ identifier: UUID) throws -> UploadRecord? {
        let request = NSFetchRequest<UploadRecord>(entityName: "UploadRecord")
        request.predicate = NSPredicate(format: "identifier == %@", identifier as CVarArg)
        return try context.fetch(request).first
    }

    private func save(success: () -> Void, failure: Failure) {
        do {
            try context.save()
            success()
        } catch {
            context.rollback()
            failure(error)
        }
    }
}
