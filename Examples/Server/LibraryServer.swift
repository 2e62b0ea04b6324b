#if Server && Service
import CoreData
import FirnService
import Hummingbird
import Logging

/// A library over HTTP.
///
///     LIBRARY_TOKENS=ada=9f2c…,ben=41d0… LibraryServer STORE [PORT]
@main
struct LibraryServer {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count > 1, let port = Int(arguments.count > 2 ? arguments[2] : "8080") else {
            fatalError("usage: LibraryServer STORE [PORT]")
        }
        let authors = Authors(ProcessInfo.processInfo.environment["LIBRARY_TOKENS"] ?? "")
        // A program bootstraps LoggingSystem, MetricsSystem and InstrumentationSystem here, for its backends.
        StoreTelemetry.bootstrap()
        let container = try open(URL(fileURLWithPath: arguments[1]))
        let coordinator = container.persistentStoreCoordinator
        let logger = Logger(label: "library")
        let app = Application(
            router: router(container, authors),
            configuration: ApplicationConfiguration(
                address: .hostname("127.0.0.1", port: port)),
            services: [
                StoreMetricsService(coordinator),
                HistorySubscriptionService(try coordinator.historySubscription(named: "log")) { transactions in
                    for transaction in transactions {
                        logger.info("record \(transaction.transactionNumber) by \(transaction.author ?? "nobody")")
                    }
                },
            ],
            onServerRunning: { channel in
                let line = "serving http://127.0.0.1:\(channel.localAddress?.port ?? 0)/\n"
                FileHandle.standardOutput.write(Data(line.utf8))
            },
            logger: logger)
        // SIGTERM and SIGINT end it: requests are answered, streams and services end.
        try await app.runService()
    }

    static func open(_ url: URL) throws -> NSPersistentContainer {
        guard let location = Bundle.module.url(forResource: "Library", withExtension: "xcdatamodeld"),
            let model = NSManagedObjectModel(contentsOf: location)
        else { fatalError("the model is among the program's resources") }
        let container = NSPersistentContainer(name: "Library", managedObjectModel: model)
        container.persistentStoreDescriptions = [NSPersistentStoreDescription(url: url)]
        var failure: (any Error)?
        container.loadPersistentStores { failure = $1 }
        if let failure { throw failure }
        return container
    }

    static func router(_ container: NSPersistentContainer, _ authors: Authors) -> Router<LibraryContext> {
        let router = Router(context: LibraryContext.self)
        router.addMiddleware {
            // A tracer's span, metrics and a log line for each request come from Hummingbird.
            TracingMiddleware()
            MetricsMiddleware()
            LogRequestsMiddleware(.debug)
            FailureMiddleware()
            TokenMiddleware(authors: authors)
        }
        BookRoutes(container: container).add(to: router)
        ChangeRoute(container: container).add(to: router)
        return router
    }
}
#else
/// It is nothing without the traits Server and Service.
@main
enum LibraryServer {
    static func main() {}
}
#endif
