import CoreData

let container = try openNewLibrary()
try addBooks(to: container)
try await guide(container, container.persistentStoreCoordinator, container.newBackgroundContext())
