internal import FirnLog
package import FirnModel

extension FetchPlan {
    /// Compiles `request`, whose entity must be known. Throws `UnsupportedPredicate` for what SQL cannot answer.
    package init(_ request: UntypedFetchRequest, schema: StoreSchema) throws {
        try self.init(request.settings, schema: schema)
    }

    /// Compiles the settings of a request.
    package init(_ request: FetchSettings, schema: StoreSchema) throws {
        try self.init(request, schema.catalog, schema.layout)
    }
}

extension StoreSchema {
    /// The plan of a request, whose entity must be known: compiled, or that of an earlier request of the same shape.
    package func plan(_ request: FetchSettings) throws -> FetchPlan {
        guard let entity = request.entity else {
            fatalError("a fetch request needs an entity before it is planned")
        }
        return try plans.plan(request, number: Int(number(of: entity).rawValue), schema: self)
    }
}
