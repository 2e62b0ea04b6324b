import CoreData

/// Opens Library.sqlite in the current folder, and creates it if it is not there.
func openLibrary() throws -> NSPersistentContainer {
    let modelURL = Bundle.module.url(forResource: "Library", withExtension: "xcdatamodeld")!
    let model = NSManagedObjectModel(contentsOf: modelURL)!
    let container = NSPersistentContainer(name: "Library", managedObjectModel: model)
    let description = NSPersistentStoreDescription(url: URL(filePath: "Library.sqlite"))
    container.persistentStoreDescriptions = [description]
    var failure: (any Error)?
    container.loadPersistentStores { _, error in failure = error }
    if let failure { throw failure }
    return container
}
