#if Server
import FirnInspection
import FirnLog
import HTTPTypes
import Hummingbird
import Mustache

/// The templates of the pages, which are in the program, and what every page says.
struct PageLibrary: Sendable {
    /// One of the views that every page links to.
    struct View {
        let name: String
        let href: String
        let isCurrent: Bool
    }

    /// One of the values that a form lets choose.
    struct Choice {
        let name: String
        let isChosen: Bool
    }

    private static let views = [
        ("Timeline", "/"), ("Activity", "/activity"), ("Objects", "/objects"), ("Compare", "/compare"),
        ("Model", "/model"),
    ]

    private let library: MustacheLibrary
    private let store: ServedStore
    let base: String

    init(_ store: ServedStore, base: String) throws {
        self.store = store
        self.base = base
        let sources: [(String, [UInt8])] = [
            ("layout", PackageResources.layout_mustache), ("timeline", PackageResources.timeline_mustache),
            ("records", PackageResources.records_mustache), ("record", PackageResources.record_mustache),
            ("changes", PackageResources.changes_mustache), ("value", PackageResources.value_mustache),
            ("version", PackageResources.version_mustache),
            ("object", PackageResources.object_mustache), ("objects", PackageResources.objects_mustache),
            ("entities", PackageResources.entities_mustache), ("asof", PackageResources.asof_mustache),
            ("compare", PackageResources.compare_mustache), ("model", PackageResources.model_mustache),
            ("revert", PackageResources.revert_mustache), ("search", PackageResources.search_mustache),
            ("failure", PackageResources.failure_mustache), ("activity", PackageResources.activity_mustache),
        ]
        library = MustacheLibrary(
            templates: try Dictionary(
                uniqueKeysWithValues: sources.map { name, bytes in
                    (name, try MustacheTemplate(string: String(decoding: bytes, as: UTF8.self)))
                }))
    }

    /// A page as a response.
    ///
    /// - Parameters:
    ///   - view: the path of the view that it belongs to.
    ///   - content: the values of the template, by name.
    func page(
        _ template: String, title: String, view: String, _ content: [String: Any],
        status: HTTPResponse.Status = .ok
    ) -> Response {
        var values = content
        values["title"] = title
        values["store"] = store.name
        values["base"] = base
        values["head"] = "\(store.log.head)"
        values["zone"] = WallClock.systemZone
        values["views"] = Self.views.map { View(name: $0.0, href: base + $0.1, isCurrent: $0.1 == view) }
        return rendered(template, values, status)
    }

    /// A part of a page.
    func fragment(_ template: String, _ content: [String: Any]) -> Response {
        var values = content
        values["base"] = base
        return rendered(template, values, .ok)
    }

    private func rendered(_ template: String, _ values: [String: Any], _ status: HTTPResponse.Status) -> Response {
        let page = library.render(values, withTemplate: template) ?? ""
        return .text(InvisibleCharacters.marked(in: page), type: "text/html; charset=utf-8", status: status)
    }

    /// An error as a page.
    func page(_ failure: RequestFailure) -> Response {
        var content = [
            "heading": failure.status.reasonPhrase, "reason": Self.sentence(failure.reason),
            "remedy": Self.sentence(failure.remedy),
        ]
        // A browser asks again by itself.
        content["retry"] = failure.headers[.retryAfter]
        var response = page(
            "failure", title: failure.status.reasonPhrase, view: "", content, status: failure.status)
        response.headers.append(contentsOf: failure.headers)
        return response
    }

    private static func sentence(_ text: String) -> String { text.prefix(1).uppercased() + text.dropFirst() + "." }

    /// The entities of the model that is in force, for a form.
    func entities(chosen: String?) throws -> [Choice] {
        try (store.log.currentModel?.model.entities ?? []).map(\.name).sorted()
            .map { Choice(name: $0, isChosen: $0 == chosen) }
    }

    func record(_ number: UInt64) -> String { "\(base)/records/\(number)" }

    /// The page of an object, perhaps as of a record.
    func object(_ name: String, asOf: UInt64? = nil) -> String {
        "\(base)/objects/\(name)" + (asOf.map { "?as-of=\($0)" } ?? "")
    }

    /// The page that puts an object, or one of its properties, back to a record.
    func restore(_ name: String, _ property: String?, to number: UInt64) -> String {
        let suffix = property.map { "&property=" + QueryParameters.encoded($0) } ?? ""
        return object(name) + "/restore?to=\(number)" + suffix
    }
}

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
