/// The objects with changes, as lists: a set hashes each.
extension NSManagedObjectContext {
    /// The objects that the next save inserts.
    package final var insertedList: [NSManagedObject] { inserted.objects }
    /// The objects that the next save updates.
    package final var updatedList: [NSManagedObject] { updated.objects.filter(\.isUpdated) }
    /// The objects that the next save deletes.
    package final var deletedList: [NSManagedObject] { deleted.objects }
}
