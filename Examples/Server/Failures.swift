#if Server && Service
import CoreData
import Hummingbird

/// The book is not what the client read.
struct BookConflict: Error {
    let current: BookAnswer
}

/// An error as the server answers.
struct Failure: ResponseEncodable {
    /// A property that is not valid, and why.
    struct Property: Codable {
        let property: String?
        let message: String
    }

    var message: String
    var properties: [Property]?
    var current: BookAnswer?
}

/// Answers the errors of the model: 404, 409 and 422.
struct FailureMiddleware: RouterMiddleware {
    func handle(
        _ request: Request, context: LibraryContext, next: (Request, LibraryContext) async throws -> Response
    ) async throws -> Response {
        let (status, failure): (HTTPResponse.Status, Failure)
        do {
            return try await next(request, context)
        } catch let error as ObjectIDError {
            (status, failure) = (.notFound, Failure(message: error.message))
        } catch let error as BookConflict {
            (status, failure) = (
                .conflict, Failure(message: "the book was changed since it was read", current: error.current)
            )
        } catch CocoaError.managedObjectMerge {
            (status, failure) = (.conflict, Failure(message: "another request changed it meanwhile"))
        } catch let error as CocoaError where Self.validationCodes.contains(error.code.rawValue) {
            (status, failure) = (
                .unprocessableContent, Failure(message: "not valid", properties: Self.properties(error as NSError))
            )
        }
        var response = try failure.response(from: request, context: context)
        response.status = status
        return response
    }

    private static let validationCodes = NSManagedObjectValidationError...NSValidationInvalidURIError

    private static func properties(_ error: NSError) -> [Failure.Property] {
        let errors = error.userInfo[NSDetailedErrorsKey] as? [NSError] ?? [error]
        return errors.map {
            Failure.Property(
                property: $0.userInfo[NSValidationKeyErrorKey] as? String, message: $0.localizedDescription)
        }
    }
}
#endif
