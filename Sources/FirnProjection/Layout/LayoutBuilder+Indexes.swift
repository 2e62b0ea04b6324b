internal import FirnLog

extension LayoutBuilder {
    /// Adds an index for each foreign key, with its position if there is one, then the model's indexes.
    mutating func addIndexes(_ places: [EntityPlace?]) {
        var seen = Set<[String]>()
        for table in tables.indices where tables[table].entities.count > 1 {
            add([.init(sql: "Z_ENT")], nil, name: "Z_IX_\(tables[table].name)_Z_ENT", to: table, &seen)
        }
        for case let place? in places {
            for (index, slot) in place.slots.enumerated() {
                guard case .toOne = slot.kind, let column = slot.column else { continue }
                var elements = [TableIndex.Element(sql: quoted(column))]
                if let position = place.position(of: index) {
                    elements.append(.init(sql: quoted(position)))
                }
                add(elements, nil, name: "Z_IX_\(place.tableName)_\(column)", to: place.table, &seen)
            }
        }
        for index in details.indexes {
            let number = Int(index.entity.rawValue)
            guard number < places.count, let place = places[number] else { continue }
            if index.isRange, addRange(index, place) { continue }
            if index.isOfWords {
                addWords(index, place)
                continue
            }
            addIndex(index, place, &seen)
        }
    }

    private mutating func add(
        _ elements: [TableIndex.Element], _ condition: String?, name: String, to table: Int,
        _ seen: inout Set<[String]>
    ) {
        let key = [tables[table].name, condition ?? ""] + elements.map { "\($0.sql) \($0.isDescending)" }
        guard seen.insert(key).inserted else { return }
        tables[table].indexes.append(
            TableIndex(name: names.registerReserved(name), elements: elements, condition: condition))
    }

    /// Equality and prefixes compare the bytes of texts, sorting compares them as `NSString` does. An index serves one
    /// of the two, so texts that are to be sorted get two indexes.
    private mutating func addIndex(
        _ index: LayoutDetails.Index, _ place: EntityPlace, _ seen: inout Set<[String]>
    ) {
        let name = "Z_IX_\(place.name)_\(index.name)"
        let elements = Self.elements(index, place, textCollation: "")
        guard elements.count == index.elements.count, !elements.isEmpty else { return }
        add(elements, index.condition, name: name, to: place.table, &seen)
        if let folded = index.foldedElements {
            var twin = index
            twin.elements = folded
            let elements = Self.elements(twin, place, textCollation: "")
            add(elements, index.condition, name: name + "_case", to: place.table, &seen)
        }
        guard index.keepsTextOrder else { return }
        let ordered = Self.elements(index, place, textCollation: " COLLATE firn_text")
        add(ordered, index.condition, name: name + "_order", to: place.table, &seen)
    }

    private static func elements(
        _ index: LayoutDetails.Index, _ place: EntityPlace, textCollation: String
    ) -> [TableIndex.Element] {
        zip(index.elements, index.descending).compactMap { element, descending in
            switch element {
            case .sql(let sql): return .init(sql: sql, isDescending: descending)
            case .slot(let slot):
                let collation =
                    place.slots[slot].isDecimal
                    ? " COLLATE firn_decimal" : place.slots[slot].isText ? textCollation : ""
                return place.slots[slot].column.map {
                    .init(sql: quoted($0) + collation, isDescending: descending)
                }
            }
        }
    }

    /// False if an R-tree cannot hold the elements: then they are indexed as others are.
    private mutating func addRange(_ index: LayoutDetails.Index, _ place: EntityPlace) -> Bool {
        let columns = index.columns(place) { $0.isNumber }
        guard columns.count == index.elements.count, 1...RangeIndex.columnCountMax ~= columns.count
        else { return false }
        let name = names.registerReserved("Z_RT_\(place.name)_\(index.name)")
        tables[place.table].ranges.append(RangeIndex(name: name, columns: columns))
        return true
    }

    private mutating func addWords(_ index: LayoutDetails.Index, _ place: EntityPlace) {
        let columns = index.columns(place) { $0.isText }
        guard !columns.isEmpty else { return }
        let name = names.registerReserved("Z_FT_\(place.name)")
        tables[place.table].words.append(WordIndex(name: name, columns: columns))
    }
}

extension LayoutDetails.Index {
    fileprivate func columns(_ place: EntityPlace, where isFit: (SlotPlace) -> Bool) -> [String] {
        elements.compactMap { element in
            guard case .slot(let slot) = element, isFit(place.slots[slot]) else { return nil }
            return place.slots[slot].column
        }
    }
}

extension SlotPlace {
    fileprivate var isText: Bool { kind == .attribute(.string) || kind == .attribute(.uri) }

    /// Whether SQLite stores the values as numbers.
    fileprivate var isNumber: Bool {
        guard case .attribute = kind, !isDecimal else { return false }
        return storage == .integer || storage == .real
    }
}
