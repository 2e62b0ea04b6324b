import Foundation

/// The metadata goes with the next save.
extension LoggedStore: SaveParticipant {
    var hasPart: Bool { hasUnsavedMetadata }

    func willAssign(_ first: Int64, to objects: [NSManagedObject]) {}

    func write(inserted: [NSManagedObject], updated: [NSManagedObject], deleted: [NSManagedObject]) throws {
        try writeMetadata()
    }

    func rollBack() {}
}
