public import Foundation

/// How the objects of one model become those of another, entity by entity.
/// https://developer.apple.com/documentation/coredata/nsmappingmodel
open class NSMappingModel: NSObject {
    /// The mappings of entities, in order.
    open var entityMappings: [NSEntityMapping]! = []

    public override init() { super.init() }

    /// The mapping model in an `.xcmappingmodel`, or its `xcmapping.xml`; nil if it cannot be read, which
    /// `load(contentsOf:)` explains.
    public init?(contentsOf url: URL?) {
        super.init()
        guard let url, let mappings = try? MappingModelFile(url).read().entityMappings else { return nil }
        entityMappings = mappings
    }

    /// The first mapping model among the resources of `bundles` that was made for both models, which their entities'
    /// version hashes tell. Nil means the bundles of `NSManagedObjectModel.mergedModel(from: nil)`.
    public init?(
        from bundles: [Bundle]?, forSourceModel sourceModel: NSManagedObjectModel?,
        destinationModel: NSManagedObjectModel?
    ) {
        super.init()
        guard let sourceModel, let destinationModel else { return nil }
        let found = MappingModelFile.all(in: bundles ?? ModelSearch.programBundles).lazy
            .compactMap { try? $0.read(for: (sourceModel, destinationModel)) }
            .first { $0.leads(from: sourceModel, to: destinationModel) }
        guard let found else { return nil }
        found.setHashes(from: sourceModel, to: destinationModel)
        entityMappings = found.entityMappings
    }

    /// The mapping model at a URL, or why there is none: `ModelFileError` with file and line.
    public static func load(contentsOf url: URL) throws -> NSMappingModel {
        let model = NSMappingModel()
        model.entityMappings = try MappingModelFile(url).read().entityMappings
        return model
    }

    /// Whether both have equal entity mappings, in the same order.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSMappingModel else { return false }
        return other === self || (entityMappings ?? []) == (other.entityMappings ?? [])
    }

    open override var hash: Int { entityMappings?.count ?? 0 }

    /// The entity mappings by their names.
    open var entityMappingsByName: [String: NSEntityMapping] {
        Dictionary(entityMappings.map { ($0.name ?? "", $0) }) { first, _ in first }
    }

    /// The mapping that follows from names and renaming identifiers, whether or not a migration can perform all of it.
    package convenience init(_ matching: ModelMatching) {
        self.init()
        entityMappings = InferredMapping(matching).entityMappings
    }
}

extension NSMappingModel {
    /// The bundles that are searched for mapping models when a store is opened: the program's and its libraries'.
    package static var bundlesInUse: [Bundle] { ModelSearch.inUse() }
}

/// Compares the parts of mappings that their names do not cover.
enum MappingContent {
    /// Whether two user infos have equal entries; none is the same as an empty one.
    static func isSame(_ first: [AnyHashable: Any]?, _ second: [AnyHashable: Any]?) -> Bool {
        NSDictionary(dictionary: first ?? [:]).isEqual(NSDictionary(dictionary: second ?? [:]))
    }
}
