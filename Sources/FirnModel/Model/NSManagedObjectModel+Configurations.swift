import Foundation

extension NSManagedObjectModel {
    /// The name under which Core Data files the entities that are in no configuration.
    static let defaultConfigurationName = "PF_DEFAULT_CONFIGURATION_NAME"

    /// The names of the configurations, sorted, without the default one.
    public var configurations: [String] { configurationEntities.keys.sorted() }

    /// The entities of a configuration; all entities for nil, nil for an unknown name.
    public func entities(forConfigurationName configuration: String?) -> [NSEntityDescription]? {
        guard let configuration, configuration != Self.defaultConfigurationName else {
            return entities
        }
        return configurationEntities[configuration]
    }

    /// Says which entities are in a configuration. They must be part of the model.
    public func setEntities(
        _ entities: [NSEntityDescription], forConfigurationName configuration: String
    ) {
        for entity in entities where entity.model !== self {
            misuse(
                "The entity '\(entity.name ?? "")' is not part of the model; "
                    + "set the model's entities before its configuration '\(configuration)'.")
        }
        configurationEntities[configuration] = entities
    }
}
