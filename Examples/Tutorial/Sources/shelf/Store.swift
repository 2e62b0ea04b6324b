import CoreData

/// Opens Library.sqlite in the current folder, and creates it if it is not there.
func openLibrary() throws -> NSPersistentContainer {
    let container = NSPersistentContainer(name: "Library")
    container.persistentStoreDescriptions = [NSPersistentStoreDescription(url: URL(filePath: "Library.sqlite"))]
    var failure: (any Error)?
    container.loadPersistentStores { _, error in failure = error }
    if let failure { throw failure }
    return container
}

/// What a person did wrong, in words.
struct Mistake: LocalizedError {
    let errorDescription: String?

    init(_ words: String) { errorDescription = words }
}
