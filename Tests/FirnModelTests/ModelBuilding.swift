import FirnModel

/// Short ways to put models together.
func attribute(
    _ name: String, _ type: NSAttributeType = .stringAttributeType, isOptional: Bool = true,
    default value: Any? = nil
) -> NSAttributeDescription {
    let attribute = NSAttributeDescription()
    attribute.name = name
    attribute.attributeType = type
    attribute.isOptional = isOptional
    attribute.defaultValue = value
    return attribute
}

func relationship(
    _ name: String, to destination: NSEntityDescription, isToMany: Bool = false,
    isOrdered: Bool = false
) -> NSRelationshipDescription {
    let relationship = NSRelationshipDescription()
    relationship.name = name
    relationship.destinationEntity = destination
    relationship.maxCount = isToMany ? 0 : 1
    relationship.isOrdered = isOrdered
    return relationship
}

func join(_ one: NSRelationshipDescription, _ other: NSRelationshipDescription) {
    one.inverseRelationship = other
    other.inverseRelationship = one
}

func entity(_ name: String, _ properties: [NSPropertyDescription] = []) -> NSEntityDescription {
    let entity = NSEntityDescription()
    entity.name = name
    entity.properties = properties
    return entity
}

func model(_ entities: [NSEntityDescription]) -> NSManagedObjectModel {
    let model = NSManagedObjectModel()
    model.entities = entities
    return model
}

/// Authors and books, each author with an order of books; novels are books.
struct Library {
    let author = entity("Author", [attribute("name")])
    let book = entity(
        "Book", [attribute("title"), attribute("pages", .integer32AttributeType, default: 1)])
    let novel = entity("Novel", [attribute("genre")])
    let model = NSManagedObjectModel()

    init() {
        let books = relationship("books", to: book, isToMany: true, isOrdered: true)
        let writer = relationship("writer", to: author)
        join(books, writer)
        let tags = relationship("likes", to: book, isToMany: true)
        let fans = relationship("fans", to: author, isToMany: true)
        join(tags, fans)
        author.properties += [books, tags]
        book.properties += [writer, fans]
        book.subentities = [novel]
        model.entities = [author, book]
    }
}
