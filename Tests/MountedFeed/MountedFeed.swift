#if Server
import CoreData
import FirnServer
import Foundation
import Hummingbird

/// An application with routes and a store of its own, whose router has the change feed, too.
///
///     MountedFeed MODEL STORE [TOKEN]
///
/// With a token it offers to revert.
@main
struct MountedFeed {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard let model = NSManagedObjectModel(contentsOf: URL(fileURLWithPath: arguments[1])) else {
            fatalError("give the path of a model that can be read")
        }
        let container = NSPersistentContainer(name: "School", managedObjectModel: model)
        container.persistentStoreDescriptions = [
            NSPersistentStoreDescription(url: URL(fileURLWithPath: arguments[2]))
        ]
        container.loadPersistentStores { _, error in
            if let error { fatalError("give the path of a store that can be opened: \(error)") }
        }
        var options = ChangeFeedOptions()
        options.prefix = "/history"
        if arguments.count > 3 {
            options.token = arguments[3]
            options.allowsRevert = true
        }
        let router = Router()
        router.get("hello") { _, _ in "hello" }
        router.post("students/:name") { _, context in
            let name = try context.parameters.require("name")
            return try await container.performBackgroundTask { context in
                context.transactionAuthor = "application"
                let student = NSEntityDescription.insertNewObject(forEntityName: "Student", into: context)
                student.setValue(name, forKey: "name")
                try context.save()
                return HTTPResponse.Status.created
            }
        }
        try router.group("history").addChangeFeed(of: container, options: options)
        let app = Application(
            router: router, configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { channel in
                let line = "serving http://127.0.0.1:\(channel.localAddress?.port ?? 0)/\n"
                FileHandle.standardOutput.write(Data(line.utf8))
            })
        try await app.runService()
    }
}
#else
/// It is nothing without the trait Server.
@main
enum MountedFeed {
    static func main() {}
}
#endif
