package import FirnLog
package import FirnModel
import Foundation

/// The rows of a batch insert, column by column.
package struct BatchRows {
    package let layout: EntityLayout
    let values: BatchValue
    /// Parallel to the layout's stored slots.
    package var columns: [Column]
    package private(set) var count = 0
    /// The properties that each row has from the request, not from defaults. Kept only where a constraint may ask.
    package private(set) var given: [SlotSet] = []
    let keepsGiven: Bool
    /// The values of a row where the request says nothing, parallel to the columns.
    private let defaults: [PropertyValue]
    private let columnOfSlot: [Int?]

    package init(_ layout: EntityLayout, values: BatchValue) throws {
        self.layout = layout
        self.values = values
        columns = layout.storedSlots.map { Column(layout.slots[$0].storage) }
        keepsGiven = !layout.uniquenessConstraints.isEmpty
        defaults = try layout.storedSlots.map { try ValueCoding.storedDefault(layout.slots[$0]) }
        var columnOfSlot = [Int?](repeating: nil, count: layout.slots.count)
        for (column, slot) in layout.storedSlots.enumerated() { columnOfSlot[slot] = column }
        self.columnOfSlot = columnOfSlot
    }

    package func info(_ column: Int) -> Slot { layout.slots[layout.storedSlots[column]] }

    package func column(of slot: Int) -> Int? { columnOfSlot[slot] }

    /// The column that a row may give a value; none for positions.
    package func column(named key: String) -> Int? {
        guard let slot = layout.slot(named: key), let column = columnOfSlot[slot] else { return nil }
        if case .position = layout.slots[slot].kind { return nil }
        return column
    }

    /// Ends a row of which every column was set, and nobody asks which.
    mutating func endFullRow() {
        guard !keepsGiven else { return endRow() }
        count += 1
    }

    /// Ends a number of rows of the same kind.
    mutating func endFullRows(_ count: Int) { self.count += count }

    /// Ends the row: what was not set gets its default.
    package mutating func endRow() {
        var slots = SlotSet()
        for column in columns.indices {
            if columns[column].count == count {
                columns[column].append(defaults[column])
            } else if keepsGiven {
                slots.insert(layout.storedSlots[column])
            }
        }
        if keepsGiven { given.append(slots) }
        count += 1
    }

    /// A row from a dictionary. Throws for a key that is no stored property.
    package mutating func append(_ dictionary: [String: Any]) throws {
        var used = 0
        for column in columns.indices {
            guard let value = dictionary[info(column).name], !info(column).isPosition else { continue }
            columns[column].append(try values.stored(value, info(column)))
            used += 1
        }
        if used < dictionary.count { try appendComposites(dictionary) }
        endRow()
    }

    /// The keys that are no columns: composite attributes, whose dictionaries hold their leaves' values.
    private mutating func appendComposites(_ dictionary: [String: Any]) throws {
        for (key, value) in dictionary where column(named: key) == nil {
            guard let slot = layout.slot(named: key), case .composite = layout.slots[slot].kind,
                let leaves = value as? [String: Any]
            else { throw unknown(key) }
            try append(leaves, of: key)
        }
    }

    private mutating func append(_ elements: [String: Any], of composite: String) throws {
        for (name, value) in elements {
            let path = composite + "." + name
            if let column = column(named: path) {
                guard columns[column].count == count else { throw twice(path) }
                columns[column].append(try values.stored(value, info(column)))
            } else if let inner = value as? [String: Any] {
                try append(inner, of: path)
            } else {
                throw unknown(path)
            }
        }
    }

    /// Whether a row that says nothing of a column has null there.
    package func isNullByDefault(_ column: Int) -> Bool { defaults[column].isNull }

    /// Adds the rows that `handler` fills, until it returns true. Throws the first mistake in a row.
    package mutating func append(filledBy handler: (inout BatchRow) throws -> Bool) throws {
        var row = BatchRow(self)
        while true {
            row.begin()
            if try handler(&row) { break }
            if let failure = row.failure { throw failure }
            row.end()
        }
        self = row.finish()
    }

    func unknown(_ key: String) -> NSError {
        let isKnown = layout.slot(named: key) != nil
        let names = layout.storedSlots.map { layout.slots[$0] }.filter { !$0.isPosition }.map(\.name).sorted()
        return CoreDataError.make(
            .persistentStoreOperation,
            "a batch insert cannot set \"\(key)\" of \(layout.name), which "
                + (isKnown ? "the store does not keep in the row" : "the entity does not have")
                + ": it can set \(names.joined(separator: ", "))",
            [NSValidationKeyErrorKey: key])
    }

    func twice(_ key: String) -> NSError {
        CoreDataError.make(
            .persistentStoreOperation, "row \(count) of a batch insert sets \"\(key)\" of \(layout.name) twice",
            [NSValidationKeyErrorKey: key])
    }

    func mismatch(_ column: Int, _ value: Any) -> NSError {
        CoreDataError.make(
            .managedObjectValidation,
            "the property \"\(info(column).name)\" of \(layout.name) takes no \(type(of: value)), or not this one "
                + "(\(value), in row \(count)): give it a value of its own type",
            [NSValidationKeyErrorKey: info(column).name, NSValidationValueErrorKey: value])
    }
}
