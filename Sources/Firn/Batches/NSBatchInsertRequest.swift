public import FirnModel
public import FirnStore
public import Foundation

/// A request that inserts many objects into a store without making managed objects of them.
///
/// The rows become the columns of one ordinary change set, which is written as a whole or not at all. The rows' own
/// form need not fit in memory: a handler or a sequence gives them one by one, and what is kept of each are its values.
/// Missing values are the attributes' defaults. The model's rules hold: mandatory properties, limits, patterns, and
/// uniqueness constraints, which the merge policy of the executing context settles. A to-one relationship takes an
/// object ID; to-many relationships cannot be set.
/// https://developer.apple.com/documentation/coredata/nsbatchinsertrequest
open class NSBatchInsertRequest: NSPersistentStoreRequest, @unchecked Sendable {
    private enum Target {
        case name(String)
        case entity(NSEntityDescription)
    }

    /// Gives the rows of a sequence one by one; returns whether there are no more.
    @usableFromInline typealias RowHandler = (inout BatchRow) throws -> Bool

    private var target: Target
    /// One dictionary a row, by the names of the properties.
    open var objectsToInsert: [[String: Any]]?
    /// Fills the dictionary of the next row. Returns true when there are no more; the dictionary of that call is not
    /// inserted.
    open var dictionaryHandler: ((NSMutableDictionary) -> Bool)?
    /// Fills the object of the next row, which is in no context. Returns true when there are no more; the object of
    /// that call is not inserted.
    open var managedObjectHandler: ((NSManagedObject) -> Bool)?
    var rowHandler: RowHandler?
    /// The kind of result.
    open var resultType: NSBatchInsertRequestResultType = .statusOnly

    private init(_ target: Target) {
        self.target = target
        super.init()
    }

    @available(*, deprecated, message: "name the entity: init(entityName:objects:)")
    public convenience override init() { self.init(.name("")) }

    /// A request that inserts a row for each dictionary.
    public init(entityName: String, objects dictionaries: [[String: Any]]) {
        target = .name(entityName)
        objectsToInsert = dictionaries
        super.init()
    }

    /// A request that inserts a row for each dictionary.
    public init(entity: NSEntityDescription, objects dictionaries: [[String: Any]]) {
        target = .entity(entity)
        objectsToInsert = dictionaries
        super.init()
    }

    /// A request that asks for rows until the handler returns true.
    public convenience init(
        entityName: String, dictionaryHandler handler: @escaping (NSMutableDictionary) -> Bool
    ) {
        self.init(.name(entityName))
        dictionaryHandler = handler
    }

    /// A request that asks for rows until the handler returns true.
    public convenience init(
        entity: NSEntityDescription, dictionaryHandler handler: @escaping (NSMutableDictionary) -> Bool
    ) {
        self.init(.entity(entity))
        dictionaryHandler = handler
    }

    /// A request that asks for objects until the handler returns true.
    public convenience init(
        entityName: String, managedObjectHandler handler: @escaping (NSManagedObject) -> Bool
    ) {
        self.init(.name(entityName))
        managedObjectHandler = handler
    }

    /// A request that asks for objects until the handler returns true.
    public convenience init(
        entity: NSEntityDescription, managedObjectHandler handler: @escaping (NSManagedObject) -> Bool
    ) {
        self.init(.entity(entity))
        managedObjectHandler = handler
    }

    /// A request that inserts a row for each element of a sequence, without a dictionary or a box for its values. Ours,
    /// not Apple's, and the fastest form.
    ///
    ///     NSBatchInsertRequest(entityName: "Event", rows: events) { event, row in
    ///         row.set("title", event.title)
    ///         row.set("date", event.date)
    ///     }
    ///
    /// The sequence is walked once, when the request is executed; executing it again continues with what is left.
    // Inlined where it is called, so that walking the sequence costs no more than there.
    @inlinable
    public convenience init<Rows: Sequence>(
        entityName: String, rows: Rows, fill: @escaping (Rows.Element, inout BatchRow) throws -> Void
    ) {
        var iterator = rows.makeIterator()
        self.init(entityName: entityName) { row in
            guard let element = iterator.next() else { return true }
            try fill(element, &row)
            return false
        }
    }

    @usableFromInline
    convenience init(entityName: String, rowHandler: @escaping RowHandler) {
        self.init(.name(entityName))
        self.rowHandler = rowHandler
    }

    /// The name of the entity.
    open var entityName: String {
        switch target {
        case .name(let name): name
        case .entity(let entity): entity.name ?? ""
        }
    }

    /// The entity, if the request was made with one or has been executed.
    open var entity: NSEntityDescription? {
        if case .entity(let entity) = target { entity } else { nil }
    }

    func resolve(_ entity: NSEntityDescription) { target = .entity(entity) }

    open override var requestType: NSPersistentStoreRequestType { .batchInsertRequestType }

    open override func copy(with zone: NSZone? = nil) -> Any {
        let copy = NSBatchInsertRequest(target)
        copy.objectsToInsert = objectsToInsert
        copy.dictionaryHandler = dictionaryHandler
        copy.managedObjectHandler = managedObjectHandler
        copy.rowHandler = rowHandler
        copy.resultType = resultType
        copy.affectedStores = affectedStores
        return copy
    }
}
