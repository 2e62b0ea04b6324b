#if Server && Service
import CoreData
import HTTPTypes
import Hummingbird

/// The context of a request, in Hummingbird's sense.
struct LibraryContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// The owner of the request's token.
    var author: String?

    init(source: Source) { coreContext = CoreRequestContextStorage(source: source) }
}

/// The authors by their tokens.
struct Authors {
    private var names: [String: String] = [:]

    /// Authors from a text such as `ada=9f2c…,ben=41d0…`.
    init(_ text: String) {
        for pair in text.split(separator: ",") {
            let parts = pair.split(separator: "=", maxSplits: 1).map(String.init)
            if parts.count == 2 { names[parts[1]] = parts[0] }
        }
    }

    subscript(token: String) -> String? { names[token] }
}

/// Lets requests with a token pass, and says whose it is.
struct TokenMiddleware: RouterMiddleware {
    let authors: Authors

    func handle(
        _ request: Request, context: LibraryContext, next: (Request, LibraryContext) async throws -> Response
    ) async throws -> Response {
        let prefix = "Bearer "
        guard let field = request.headers[.authorization], field.hasPrefix(prefix),
            let author = authors[String(field.dropFirst(prefix.count))]
        else { throw HTTPError(.unauthorized, headers: [.wwwAuthenticate: "Bearer"], message: "give a token") }
        var context = context
        context.author = author
        return try await next(request, context)
    }
}

extension NSPersistentContainer {
    /// Runs `body` in a managed object context of the request's own. Its saves have the request's author, and its ID as
    /// metadata.
    func perform<Answer: Sendable>(
        for request: LibraryContext, _ body: @escaping @Sendable (NSManagedObjectContext) throws -> Answer
    ) async throws -> Answer {
        try await performBackgroundTask { context in
            context.transactionAuthor = request.author
            context.transactionMetadata["request"] = request.id
            return try body(context)
        }
    }
}
#endif
