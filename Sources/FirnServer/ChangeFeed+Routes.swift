#if Server
public import Hummingbird

extension ChangeFeed {
    /// Adds the routes of the feed, each behind the checks of host, origin and token.
    public func addRoutes<Context: RequestContext>(to router: some RouterMethods<Context>) {
        let guarded = router.group().add(middleware: AccessGuard<Context>(options: options, metrics: metrics))
        let about = StoreRoutes(store: store, metrics: metrics)
        let changes = ChangeRoutes(
            store: store, head: head, pages: ChangePages(store), caching: caching, metrics: metrics, options: options)
        let records = RecordRoutes(store: store, queries: queries, caching: caching)
        let objects = ObjectRoutes(store: store, tables: tables, queries: queries, caching: caching)
        guarded.get("healthz") { _, _ in try about.health() }
        guarded.get("metrics") { _, _ in try about.metricsText() }
        guarded.get("v1/store") { request, _ in try about.store(request) }
        guarded.get("v1/changes") { request, _ in try await changes.changes(request) }
        guarded.get("v1/records/:number") { request, context in
            try await records.record(request, number: context.parameters.require("number"))
        }
        guarded.get("v1/diff") { request, _ in try await records.difference(request) }
        guarded.get("v1/objects/:entity") { request, context in
            try await objects.list(request, entity: context.parameters.require("entity"))
        }
        guarded.get("v1/objects/:entity/:key") { request, context in
            try await objects.object(
                request, entity: context.parameters.require("entity"), key: context.parameters.require("key"))
        }
        guarded.get("v1/objects/:entity/:key/history") { request, context in
            try await objects.history(
                request, entity: context.parameters.require("entity"), key: context.parameters.require("key"))
        }
    }
}
#endif
