#if SwiftData
public import Foundation

/// Makes a class a persistent model: its stored properties are saved, and observers see their changes.
///
/// https://developer.apple.com/documentation/swiftdata/model()
@attached(
    member, conformances: Observable, PersistentModel, Sendable, names: named(_$backingData),
    named(persistentBackingData), named(modelStorage), named(schemaMetadata), named(init), named(_$registrar),
    named(_$observationRegistrar), named(_SwiftDataNoType), named(access), named(withMutation)
)
@attached(memberAttribute)
@attached(extension, conformances: Observable, PersistentModel, Sendable)
public macro Model() = #externalMacro(module: "SwiftDataMacros", type: "ModelMacro")

/// Says how a property of a model is stored.
///
/// https://developer.apple.com/documentation/swiftdata/attribute(_:originalname:hashmodifier:)
@attached(peer)
public macro Attribute(
    _ options: Schema.Attribute.Option..., originalName: String? = nil, hashModifier: String? = nil
) = #externalMacro(module: "SwiftDataMacros", type: "PropertyMarkerMacro")

/// Says how a property of a model is related to another model.
///
/// https://developer.apple.com/documentation/swiftdata/defining-data-relationships-with-enumerations-and-model-classes
@attached(peer)
public macro Relationship(
    _ options: Schema.Relationship.Option..., deleteRule: Schema.Relationship.DeleteRule = .nullify,
    minimumModelCount: Int? = 0, maximumModelCount: Int? = 0, originalName: String? = nil,
    inverse: AnyKeyPath? = nil, hashModifier: String? = nil
) = #externalMacro(module: "SwiftDataMacros", type: "PropertyMarkerMacro")

/// Says that a property of a model is not saved.
@attached(peer)
public macro Transient() = #externalMacro(module: "SwiftDataMacros", type: "PropertyMarkerMacro")

/// The macro that `@Model` attaches to each property that is saved.
@attached(accessor, names: named(init), named(get), named(set))
@attached(peer, names: prefixed(`_`))
public macro _PersistedProperty() = #externalMacro(module: "SwiftDataMacros", type: "PersistedPropertyMacro")

/// The macro that `@Model` attaches to each property that a `ValueTransformer` stores.
@attached(accessor, names: named(init), named(get), named(set))
@attached(peer, names: prefixed(`_`))
public macro _TransformablePersistedProperty() =
    #externalMacro(module: "SwiftDataMacros", type: "TransformablePersistedPropertyMacro")

/// Gives an actor a container and a context of its own.
@attached(member, names: named(modelExecutor), named(modelContainer), named(init))
@attached(extension, conformances: ModelActor)
public macro ModelActor() = #externalMacro(module: "SwiftDataMacros", type: "ModelActorMacro")

/// Indexes combinations of properties of a model, with the kind of each index.
@freestanding(declaration)
public macro Index<T: PersistentModel>(_ indices: Schema.Index<T>.Types<T>...) =
    #externalMacro(module: "SwiftDataMacros", type: "DeclarationMarkerMacro")

/// Indexes combinations of properties of a model.
@freestanding(declaration)
public macro Index<T: PersistentModel>(_ indices: [PartialKeyPath<T>]...) =
    #externalMacro(module: "SwiftDataMacros", type: "DeclarationMarkerMacro")

/// Allows each combination of values of these properties once.
@freestanding(declaration)
public macro Unique<T: PersistentModel>(_ constraints: [PartialKeyPath<T>]...) =
    #externalMacro(module: "SwiftDataMacros", type: "DeclarationMarkerMacro")

/// Allows each combination of values of these properties once, and says what a save does with a second model of the
/// same values. Ours, not Apple's.
@freestanding(declaration)
public macro Unique<T: PersistentModel>(
    onConflict policy: UniqueConflictPolicy, _ constraints: [PartialKeyPath<T>]...
) = #externalMacro(module: "SwiftDataMacros", type: "DeclarationMarkerMacro")

/// Makes a predicate of a closure. It is Foundation's, but takes other predicates and expressions too:
///
///     let long = #Predicate<Trip> { $0.days > 7 }
///     let longToBern = #Predicate<Trip> { long.evaluate($0) && $0.destination == "Bern" }
///
/// https://developer.apple.com/documentation/foundation/predicate(_:)
@freestanding(expression)
public macro Predicate<Input>(_ body: (Input) -> Bool) -> Foundation.Predicate<Input> =
    #externalMacro(module: "SwiftDataMacros", type: "PredicateMacro")

/// Makes an expression of a closure. It is Foundation's, but takes predicates and other expressions too.
///
/// https://developer.apple.com/documentation/foundation/expression(_:)
@freestanding(expression)
public macro Expression<Input, Value>(_ body: (Input) -> Value) -> Foundation.Expression<Input, Value> =
    #externalMacro(module: "SwiftDataMacros", type: "QueryExpressionMacro")

/// Makes what `#Predicate` hands on. The compiler's own program expands it.
@freestanding(expression)
public macro _FoundationPredicate<each Input>(
    _ body: (repeat each Input) -> Bool
) -> Foundation.Predicate<repeat each Input> = #externalMacro(module: "FoundationMacros", type: "PredicateMacro")

/// Makes what `#Expression` hands on. The compiler's own program expands it.
@freestanding(expression)
public macro _FoundationExpression<each Input, Value>(
    _ body: (repeat each Input) -> Value
) -> Foundation.Expression<repeat each Input, Value> =
    #externalMacro(module: "FoundationMacros", type: "ExpressionMacro")
#endif
