#if Server
public import Firn
import Foundation
import HTTPTypes
public import Hummingbird

extension ChangeFeed {
    /// Adds the routes of the feed, each behind the checks of host, origin and token.
    public func addRoutes<Context: RequestContext>(to router: some RouterMethods<Context>) throws {
        try addGuardedRoutes(to: router.group().add(middleware: accessGuard()))
    }

    /// The guard that has to stand before every route.
    func accessGuard<Context: RequestContext>() -> AccessGuard<Context> {
        AccessGuard(options: options, metrics: metrics)
    }

    /// Adds the routes to a router that has `accessGuard` already.
    func addGuardedRoutes<Context: RequestContext>(to guarded: some RouterMethods<Context>) throws {
        let about = StoreRoutes(store: store, metrics: metrics)
        let changes = ChangeRoutes(
            store: store, head: head, pages: ChangePages(store), caching: caching, metrics: metrics,
            options: options, live: LiveFollowers(head, metrics, commentInterval: options.commentInterval))
        let records = RecordRoutes(store: store, queries: queries, caching: caching)
        let objects = ObjectRoutes(store: store, tables: tables, queries: queries, caching: caching)
        // The router is what keeps the feed: it stops when nothing refers to it.
        guarded.get("healthz") { _, _ in try withExtendedLifetime(self) { try about.health() } }
        guarded.get("metrics") { _, _ in try about.metricsText() }
        guarded.get("v1/store") { request, _ in try about.store(request) }
        guarded.get("v1/changes") { request, context in
            try await changes.changes(request, over: (context as? any ChannelRequestContext)?.channel)
        }
        guarded.get("v1/baseline") { request, _ in try changes.baseline(request) }
        guarded.get("v1/records/:number") { request, context in
            try await records.record(request, number: context.part("number"))
        }
        guarded.get("v1/diff") { request, _ in try await records.difference(request) }
        guarded.get("v1/objects/:entity") { request, context in
            try await objects.list(request, entity: context.part("entity"))
        }
        guarded.get("v1/objects/:entity/:key") { request, context in
            try await objects.object(
                request, entity: context.part("entity"), key: context.part("key"))
        }
        guarded.get("v1/objects/:entity/:key/history") { request, context in
            try await objects.history(
                request, entity: context.part("entity"), key: context.part("key"))
        }
        guarded.get("v1/objects/:entity/:key/values/:property") { request, context in
            try await objects.value(
                request, entity: context.part("entity"), key: context.part("key"), property: context.part("property"))
        }
        addFiles(to: guarded)
        try addPages(to: guarded, records, objects)
    }

    private func addFiles<Context: RequestContext>(to router: some RouterMethods<Context>) {
        let files = [
            ("openapi.json", "application/json", PackageResources.openapi_json),
            ("style.css", "text/css; charset=utf-8", PackageResources.style_css),
            ("script.js", "text/javascript; charset=utf-8", PackageResources.script_js),
            ("icon.svg", "image/svg+xml", PackageResources.icon_svg),
        ]
        for (name, type, bytes) in files {
            let text = String(decoding: bytes, as: UTF8.self)
            router.get(RouterPath(name)) { _, _ -> Response in
                var response = Response.text(text, type: type)
                response.headers[.cacheControl] = "no-cache"
                return response
            }
        }
    }

    private func addPages<Context: RequestContext>(
        to router: some RouterMethods<Context>, _ records: RecordRoutes, _ objects: ObjectRoutes
    ) throws {
        let pages = try PageLibrary(store, base: options.prefix)
        let timeline = TimelinePages(store: store, tables: tables, queries: queries, pages: pages)
        let record = RecordPages(
            store: store, tables: tables, records: records, pages: pages, allowsRevert: reverter != nil)
        let object = ObjectPages(
            store: store, tables: tables, queries: queries, objects: objects, pages: pages,
            allowsRevert: reverter != nil)
        let entity = EntityPages(objects: objects, frame: object, pages: pages)
        let model = ModelPages(store: store, tables: tables, queries: queries, pages: pages)
        let search = SearchPages(store: store, tables: tables, queries: queries, pages: pages)
        // Files, whose errors are for programs.
        router.get("records.csv") { request, _ in try await timeline.csv(request) }
        router.get("records.json") { request, _ in try await timeline.json(request) }
        let router = router.group().add(middleware: PageFailures<Context>(pages: pages))
        router.get("/") { request, _ in try await timeline.timeline(request) }
        router.get("records") { request, _ in try await timeline.newer(request) }
        router.get("records/:number") { request, context in
            try await record.record(request, number: context.part("number"))
        }
        if let reverter {
            let revert = RevertPages(
                store: store, records: records, queries: queries, reverter: reverter, pages: pages)
            router.get("records/:number/revert") { request, context in
                try await revert.preview(revert.record(request, number: context.part("number")))
            }
            router.post("records/:number/revert") { request, context in
                try await revert.revert(revert.record(request, number: context.part("number")))
            }
            router.get("objects/:entity/:key/restore") { request, context in
                try await revert.preview(
                    revert.object(request, entity: context.part("entity"), key: context.part("key")))
            }
            router.post("objects/:entity/:key/restore") { request, context in
                try await revert.revert(
                    revert.object(request, entity: context.part("entity"), key: context.part("key")))
            }
        }
        let activity = ActivityPages(store: store, queries: queries, timeline: timeline, pages: pages)
        router.get("activity") { request, _ in try await activity.activity(request) }
        router.get("compare") { request, _ in try await record.compare(request) }
        router.get("search") { request, _ in try await search.search(request) }
        router.get("model") { request, _ in try await model.model(request) }
        router.get("objects") { request, _ in try await object.entities(request) }
        router.get("objects/:entity") { request, context in
            try await entity.table(request, entity: context.part("entity"))
        }
        router.get("objects/:entity/:key") { request, context in
            try await object.object(
                request, entity: context.part("entity"), key: context.part("key"))
        }
    }
}

extension RequestContext {
    private static var partSizeMax: Int { 255 }

    /// A part of the path, decoded.
    fileprivate func part(_ name: String) throws -> String {
        let text = try parameters.require(name)
        guard let decoded = text.removingPercentEncoding, decoded.count <= Self.partSizeMax else {
            throw RequestFailure.notFound(
                "the \(name) “\(text.prefix(40))” is too long, or not percent-encoded UTF-8",
                remedy: "ask /v1/store for what there is")
        }
        return decoded
    }
}

extension RouterMethods {
    /// Adds the change feed and the history of a container's first store in a file; see `ChangeFeed`. They live as long
    /// as the router.
    public func addChangeFeed(
        of container: NSPersistentContainer, options: ChangeFeedOptions = ChangeFeedOptions()
    ) throws {
        let urls = container.persistentStoreCoordinator.persistentStores.compactMap(\.url)
        guard let url = urls.first(where: \.isFileURL) else {
            throw ProgramFailure("the container has no store in a file; load its stores before it is served")
        }
        try ChangeFeed(storeAt: url, options: options, coordinator: container.persistentStoreCoordinator)
            .addRoutes(to: self)
    }
}
#endif
