public import Firn
public import FirnModel
public import FirnStore

/// Rows as Swift values: chosen columns of what a fetch finds, without managed objects and without dictionaries. Ours,
/// not Apple's.
///
///     let books = try context.rows(of: Book.self, \.title, \.pages, where: NSPredicate(format: "pages > 100"))
///     for (title, pages) in books { … }       // (String?, Int32)
///
/// - Rows are what `dictionaryResultType` finds: the store's state, at the context's query generation. **Unsaved
///   changes of the context, and of its parents, are not in them.**
/// - Each column is read as the type of its key path. A type that the attribute's values do not fit is an error before
///   any row is read; so is a key path without a name. A null in a column that is not optional is an error too.
/// - One store reads its rows straight into the values. Several stores, and a store of a class of your own, answer with
///   dictionaries, which takes longer.
/// - A `#Predicate` is converted: `where: NSPredicate(converting: #Predicate<Book> { $0.pages > 100 })`.
///
/// Call them on the context's queue. The values may go to any other.
///
/// A function for one column gives its values: in larger expressions the compiler does not find out in time that a
/// tuple of one is its member.
extension NSManagedObjectContext {
    /// The values at key paths, one tuple for each object that meets the predicate.
    ///
    /// With `distinct`, equal rows are returned once.
    @_disfavoredOverload
    @inlinable
    public func rows<Object: NSManagedObject, each Value: RowValue>(
        of type: Object.Type, _ columns: repeat KeyPath<Object, each Value>, where predicate: NSPredicate? = nil,
        sortedBy sortDescriptors: [NSSortDescriptor] = [], limit: Int = 0, offset: Int = 0, distinct: Bool = false
    ) throws -> [(repeat each Value)] {
        try rows(
            of: type, repeat RowColumn.value(each columns), where: predicate, sortedBy: sortDescriptors, limit: limit,
            offset: offset, distinct: distinct)
    }

    /// The value at a key path of each object that meets the predicate.
    ///
    /// With `distinct`, equal values are returned once.
    @inlinable
    public func rows<Object: NSManagedObject, Value: RowValue>(
        of type: Object.Type, _ column: KeyPath<Object, Value>, where predicate: NSPredicate? = nil,
        sortedBy sortDescriptors: [NSSortDescriptor] = [], limit: Int = 0, offset: Int = 0, distinct: Bool = false
    ) throws -> [Value] {
        try rows(
            of: type, RowColumn.value(column), where: predicate, sortedBy: sortDescriptors, limit: limit,
            offset: offset, distinct: distinct)
    }

    /// The values of columns, one tuple for each object that meets the predicate; one for all of them if the columns
    /// are values of all rows, as in `rows(of: Book.self, .count, .sum(\.pages))`.
    @_disfavoredOverload
    @inlinable
    public func rows<Object: NSManagedObject, each Value: RowValue>(
        of type: Object.Type, _ columns: repeat RowColumn<Object, each Value>, where predicate: NSPredicate? = nil,
        sortedBy sortDescriptors: [NSSortDescriptor] = [], limit: Int = 0, offset: Int = 0, distinct: Bool = false
    ) throws -> [(repeat each Value)] {
        let request = rowRequest(type, predicate, sortDescriptors, limit, offset)
        request.returnsDistinctResults = distinct
        return try rows(matching: request, repeat each columns)
    }

    /// The value of a column for each object that meets the predicate; one if it is a value of all rows.
    @inlinable
    public func rows<Object: NSManagedObject, Value: RowValue>(
        of type: Object.Type, _ column: RowColumn<Object, Value>, where predicate: NSPredicate? = nil,
        sortedBy sortDescriptors: [NSSortDescriptor] = [], limit: Int = 0, offset: Int = 0, distinct: Bool = false
    ) throws -> [Value] {
        let request = rowRequest(type, predicate, sortDescriptors, limit, offset)
        request.returnsDistinctResults = distinct
        return try rows(matching: request, column)
    }

    /// The values at key paths that objects have in common, with values of all objects of each group.
    ///
    ///     let genres = try context.rows(of: Book.self, groupedBy: \.genre, computing: .count, .sum(\.pages))
    ///     for (genre, count, pages) in genres { … }       // (String?, Int, Int)
    ///
    /// Sort descriptors and `having` may name a computed column: `.sum(\.pages).named("total")`.
    @_disfavoredOverload
    @inlinable
    public func rows<Object: NSManagedObject, each Key: RowValue, each Value: RowValue>(
        of type: Object.Type, groupedBy keys: repeat KeyPath<Object, each Key>,
        computing columns: repeat RowColumn<Object, each Value>, where predicate: NSPredicate? = nil,
        having: NSPredicate? = nil, sortedBy sortDescriptors: [NSSortDescriptor] = [], limit: Int = 0, offset: Int = 0
    ) throws -> [(repeat each Key, repeat each Value)] {
        try rows(
            of: type, groupedBy: repeat RowColumn.value(each keys), computing: repeat each columns, where: predicate,
            having: having, sortedBy: sortDescriptors, limit: limit, offset: offset)
    }

    /// The values of columns that objects have in common, with values of all objects of each group.
    @_disfavoredOverload
    @inlinable
    public func rows<Object: NSManagedObject, each Key: RowValue, each Value: RowValue>(
        of type: Object.Type, groupedBy keys: repeat RowColumn<Object, each Key>,
        computing columns: repeat RowColumn<Object, each Value>, where predicate: NSPredicate? = nil,
        having: NSPredicate? = nil, sortedBy sortDescriptors: [NSSortDescriptor] = [], limit: Int = 0, offset: Int = 0
    ) throws -> [(repeat each Key, repeat each Value)] {
        let request = rowRequest(type, predicate, sortDescriptors, limit, offset)
        request.havingPredicate = having
        var groupCount = 0
        for _ in repeat each keys { groupCount += 1 }
        return try readRows(request, groupCount: groupCount, repeat each keys, repeat each columns)
    }

    /// The values of columns, one tuple for each row that the request finds.
    ///
    /// The request says what the other functions have no parameters for: the entity of objects without a class of
    /// their own, the stores to ask, properties to group by. Its `resultType` and `propertiesToFetch` do not matter.
    @_disfavoredOverload
    @inlinable
    public func rows<Object: NSManagedObject, each Value: RowValue>(
        matching request: NSFetchRequest<Object>, _ columns: repeat RowColumn<Object, each Value>
    ) throws -> [(repeat each Value)] {
        try readRows(request, groupCount: nil, repeat each columns)
    }

    /// The value of a column for each row that the request finds.
    @inlinable
    public func rows<Object: NSManagedObject, Value: RowValue>(
        matching request: NSFetchRequest<Object>, _ column: RowColumn<Object, Value>
    ) throws -> [Value] {
        try readRows(request, groupCount: nil, column)
    }
}

extension NSManagedObjectContext {
    @usableFromInline
    func rowRequest<Object: NSManagedObject>(
        _ type: Object.Type, _ predicate: NSPredicate?, _ sortDescriptors: [NSSortDescriptor], _ limit: Int,
        _ offset: Int
    ) -> NSFetchRequest<Object> {
        let request = NSFetchRequest<Object>()
        request.predicate = predicate
        request.sortDescriptors = sortDescriptors
        (request.fetchLimit, request.fetchOffset) = (limit, offset)
        return request
    }

    @inlinable
    func readRows<Object: NSManagedObject, each Value: RowValue>(
        _ request: NSFetchRequest<Object>, groupCount: Int?, _ columns: repeat RowColumn<Object, each Value>
    ) throws -> [(repeat each Value)] {
        var all: [AnyRowColumn] = []
        for column in repeat each columns { all.append(column.column) }
        var result: [(repeat each Value)] = []
        try readRows(request, of: Object.self, ColumnList(all, groupCount: groupCount)) { cursor in
            var rows: [(repeat each Value)] = []
            rows.reserveCapacity(min(request.fetchLimit, 256))
            while try cursor.next() {
                var column: Int32 = -1
                rows.append((repeat try (each Value).next(in: cursor, after: &column)))
            }
            result = rows
        }
        return result
    }
}
