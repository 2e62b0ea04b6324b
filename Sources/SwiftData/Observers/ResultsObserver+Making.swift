#if SwiftData
public import Foundation

extension ResultsObserver where SectionTitle == Never {
    /// The models of a context that a descriptor describes.
    /// Throws if they cannot be fetched.
    public convenience init(
        fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor<Element>(),
        modelContext: ModelContext,
        isolation: isolated (any Actor)? = #isolation
    ) throws {
        try self.init(fetchDescriptor, sectionKey: nil, modelContext, isolation)
    }

    /// The models of a container, in a new context, that a descriptor describes.
    /// Throws if they cannot be fetched.
    public convenience init(
        fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor<Element>(),
        modelContainer: ModelContainer,
        isolation: isolated (any Actor)? = #isolation
    ) throws {
        try self.init(fetchDescriptor, sectionKey: nil, ModelContext(modelContainer), isolation)
    }

    /// The models of a context that meet a predicate, in an order.
    /// Throws if they cannot be fetched.
    public convenience init(
        filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil,
        modelContext: ModelContext,
        isolation: isolated (any Actor)? = #isolation
    ) throws {
        let descriptor = FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? [])
        try self.init(descriptor, sectionKey: nil, modelContext, isolation)
    }

    /// The models of a container, in a new context, that meet a predicate, in an order.
    /// Throws if they cannot be fetched.
    public convenience init(
        filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil,
        modelContainer: ModelContainer,
        isolation: isolated (any Actor)? = #isolation
    ) throws {
        let descriptor = FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? [])
        try self.init(descriptor, sectionKey: nil, ModelContext(modelContainer), isolation)
    }
}

// Apple's sections have texts as titles only.
extension ResultsObserver {
    /// The models of a context that a descriptor describes, in sections by any key.
    /// Throws if they cannot be fetched.
    public convenience init(
        fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor<Element>(),
        sectionBy: KeyPath<Element, SectionTitle>, modelContext: ModelContext,
        isolation: isolated (any Actor)? = #isolation
    ) throws {
        try self.init(fetchDescriptor, sectionKey: sectionBy, modelContext, isolation)
    }

    /// The models of a container, in a new context, that a descriptor describes, in sections by any key.
    /// Throws if they cannot be fetched.
    public convenience init(
        fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor<Element>(),
        sectionBy: KeyPath<Element, SectionTitle>, modelContainer: ModelContainer,
        isolation: isolated (any Actor)? = #isolation
    ) throws {
        try self.init(fetchDescriptor, sectionKey: sectionBy, ModelContext(modelContainer), isolation)
    }

    /// The models of a context that meet a predicate, in an order, in sections by any key.
    /// Throws if they cannot be fetched.
    public convenience init(
        filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil,
        sectionBy: KeyPath<Element, SectionTitle>, modelContext: ModelContext,
        isolation: isolated (any Actor)? = #isolation
    ) throws {
        let descriptor = FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? [])
        try self.init(descriptor, sectionKey: sectionBy, modelContext, isolation)
    }

    /// The models of a container, in a new context, that meet a predicate, in an order, in sections by any key.
    /// Throws if they cannot be fetched.
    public convenience init(
        filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil,
        sectionBy: KeyPath<Element, SectionTitle>, modelContainer: ModelContainer,
        isolation: isolated (any Actor)? = #isolation
    ) throws {
        let descriptor = FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? [])
        try self.init(descriptor, sectionKey: sectionBy, ModelContext(modelContainer), isolation)
    }
}
#endif
