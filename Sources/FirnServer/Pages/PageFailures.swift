#if Server
import FirnInspection
import Hummingbird

/// Shows errors of a page's route as a page; `AccessGuard` shows those of others as JSON.
struct PageFailures<Context: RequestContext>: RouterMiddleware {
    let pages: PageLibrary

    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch let failure as RequestFailure {
            return pages.page(failure)
        }
    }
}
#endif
