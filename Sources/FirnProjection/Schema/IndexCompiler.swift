internal import FirnFoundation
internal import class FirnFoundation.NSPredicate
internal import FirnLog
internal import FirnModel

/// Compiles fetch indexes that hold expressions, or only some of the objects, to SQL.
///
/// An index definition has no parameters, so its values are literals. SQLite uses such an index for a fetch with
/// literally the same expression: see `PredicateCompiler.literalParts`.
struct IndexCompiler {
    let entities: [NSEntityDescription]
    let catalog: EntityCatalog
    let layout: TableLayout

    /// The indexes of all entities that need compiling. An index that SQL cannot express is left out, because indexes
    /// only make fetches faster.
    func indexes() -> [LayoutDetails.Index] {
        entities.flatMap { entity in
            entity.indexes.filter(\.needsCompiling).compactMap { try? compile($0, of: entity) }
        }
    }

    private func compile(
        _ index: NSFetchIndexDescription, of entity: NSEntityDescription
    ) throws -> LayoutDetails.Index {
        let number = catalog.number(of: entity)
        let compiler = PredicateCompiler(catalog: catalog, layout: layout, nullRule: .store)
        compiler.writesLiterals = true
        let place = layout.existingPlace(number)
        let query = Query(from: quoted(place.tableName))
        let row = Node(query: query, alias: "", place: place, entity: entity)
        let elements = try index.elements.map { try element($0, compiler, row) }
        var made = LayoutDetails.Index(
            name: index.name, entity: number, elements: elements,
            descending: index.elements.map { !$0.isAscending })
        made.keepsTextOrder = true
        let folded = zip(index.elements, elements).map { Self.folded($0, row) ?? $1 }
        if index.elements.contains(where: { Self.folded($0, row) != nil }) { made.foldedElements = folded }
        if let predicate = index.partialIndexPredicate {
            made.condition = try compiler.condition(predicate, row)
        }
        let text = (made.condition ?? "") + elements.map { "\($0)" }.joined()
        guard query.joins.isEmpty, !text.contains("SELECT"), compiler.isTimeless else {
            throw UnsupportedPredicate(index.name, "an index element must depend on one row only, and not on the time")
        }
        return made
    }

    /// For `lowercase:(name)` and `uppercase:(name)`: the text itself, with a case-insensitive collation. `==[c]` and
    /// sorts by `caseInsensitiveCompare:` use such an index.
    private static func folded(
        _ element: NSFetchIndexElementDescription, _ row: Node
    ) -> LayoutDetails.Index.Element? {
        guard case .function(let function, let arguments) = (element.property as? NSExpressionDescription)?
            .expression?.node, function == .lowercase || function == .uppercase,
            case .keyPath(let path, nil) = arguments[0].node, let slot = row.place.slot(named: path.string),
            row.entity.layout.slots[slot].attributeType == .stringAttributeType,
            let column = row.place.slots[slot].column
        else { return nil }
        return .sql("\(quoted(column)) COLLATE \(TextOrdering.caseInsensitive.collation)")
    }

    private func element(
        _ element: NSFetchIndexElementDescription, _ compiler: PredicateCompiler, _ row: Node
    ) throws -> LayoutDetails.Index.Element {
        guard let described = element.property as? NSExpressionDescription else {
            let name = element.propertyName ?? ""
            guard let slot = row.entity.layout.slot(named: name) else {
                throw UnsupportedPredicate(name, "there is no such property")
            }
            return .slot(slot)
        }
        guard let expression = described.expression,
            case .value(let value) = try compiler.operand(expression, row)
        else { throw UnsupportedPredicate(described.name, "an index element is one value of a row") }
        return .sql(value.sql)
    }
}

extension NSFetchIndexDescription {
    /// Whether the index is more than properties of all objects.
    var needsCompiling: Bool {
        partialIndexPredicate != nil || elements.contains { $0.property is NSExpressionDescription }
    }
}
