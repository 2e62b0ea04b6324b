package import FirnFoundation
package import class FirnFoundation.NSExpression
import FirnLog
package import FirnModel
package import FirnProjection
import Foundation

/// A `RowColumn` without its class and its type.
@usableFromInline
package struct AnyRowColumn {
    fileprivate enum Content {
        case property(path: String)
        /// A value of the row, or of all rows of a group.
        case expression(NSExpression, isAggregate: Bool)
        /// A key path without a name.
        case unnamed(AnyKeyPath)
    }

    package fileprivate(set) var name: String
    fileprivate let content: Content
    let type: RowValueType
    let swiftType: any RowValue.Type
}

/// The columns of a fetch of rows: properties and expressions of a dictionary fetch, and the type that each is read as.
@usableFromInline
package struct ColumnList {
    package let all: [AnyRowColumn]
    /// How many of the first columns group the rows; nil where rows are not grouped.
    private let groupCount: Int?

    @usableFromInline
    package init(_ all: [AnyRowColumn], groupCount: Int?) {
        self.all = all
        self.groupCount = groupCount
    }

    /// Makes the request one for the dictionaries of these columns. Throws for columns that cannot be asked for.
    package func apply(to settings: inout FetchSettings) throws {
        if all.isEmpty { throw Self.failure("a fetch of rows needs a column") }
        for column in all {
            if case .unnamed(let path) = column.content {
                throw Self.failure(
                    "\(path) has no name in key-value coding, as it leads over a property that the model does not "
                        + "have: ask for .key(_:as:) with the name of an attribute")
            }
        }
        settings.resultType = .dictionaryResultType
        settings.propertiesToFetch = all.map(\.property)
        if let groupCount { settings.propertiesToGroupBy = all.prefix(groupCount).map(\.property) }
        try checkNames()
        if settings.propertiesToGroupBy?.isEmpty ?? true { try checkAggregates() }
    }

    /// Sort descriptors, predicates and dictionaries know columns by their names.
    private func checkNames() throws {
        if all.allSatisfy(\.isNamedByPath) { return }
        var named: [String: String] = [:]
        for column in all {
            let meaning = column.meaning
            if let other = named.updateValue(meaning, forKey: column.name), other != meaning {
                throw Self.failure("two columns have the name \"\(column.name)\": use .named(_:)")
            }
        }
    }

    /// Without groups, there are values of all rows or of each.
    private func checkAggregates() throws {
        guard all.contains(where: \.isAggregate), let other = all.first(where: { !$0.isAggregate }) else { return }
        throw Self.failure(
            "\"\(other.name)\" is a value of each row, and other columns are values of all rows: group the rows "
                + "with rows(of:groupedBy:computing:)")
    }

    /// Throws where a column is an attribute whose values its type does not hold.
    package func check(_ entity: NSEntityDescription) throws {
        for column in all {
            guard case .property(let path) = column.content, let slot = entity.slot(at: path) else { continue }
            switch slot.kind {
            case .attribute(let type):
                if let kind = type.storedKind { try column.check(kind, isComputed: false) }
            case .toOne: try column.checkReference()
            default: break
            }
        }
    }

    /// Throws where a column's type does not hold the values of the plan's.
    package func check(_ plan: FetchPlan) throws {
        for (column, planned) in zip(all, plan.columns) {
            switch planned.kind {
            // A plan has no widths of numbers: those of attributes are the entity's.
            case .attribute(let kind): try column.check(kind, isComputed: true)
            case .reference: try column.checkReference()
            case .any: break
            }
        }
    }

    fileprivate static func failure(_ message: String, _ key: String? = nil) -> any Error {
        CoreDataError.make(
            .persistentStoreOperation, message, key.map { [NSValidationKeyErrorKey: $0] } ?? [:])
    }
}

extension AnyRowColumn {
    package static func property(_ name: String, _ type: any RowValue.Type) -> Self {
        Self(name: name, content: .property(path: name), type: type.rowValueType, swiftType: type)
    }

    package static func property(_ keyPath: AnyKeyPath, _ type: any RowValue.Type) -> Self {
        guard let name = keyValueCodingKeyPath(for: keyPath) else {
            return Self(name: "\(keyPath)", content: .unnamed(keyPath), type: type.rowValueType, swiftType: type)
        }
        return property(name, type)
    }

    package static func computed(_ expression: NSExpression, _ type: any RowValue.Type) -> Self {
        Self(
            name: expression.description, content: .expression(expression, isAggregate: false), type: type.rowValueType,
            swiftType: type)
    }

    package static func count(_ type: any RowValue.Type) -> Self {
        aggregate("count:", .expressionForEvaluatedObject(), type)
    }

    package static func aggregate(_ function: String, _ keyPath: AnyKeyPath, _ type: any RowValue.Type) -> Self {
        guard let name = keyValueCodingKeyPath(for: keyPath) else { return property(keyPath, type) }
        return aggregate(function, NSExpression(forKeyPath: name), type)
    }

    private static func aggregate(_ function: String, _ operand: NSExpression, _ type: any RowValue.Type) -> Self {
        let expression = NSExpression(forFunction: function, arguments: [operand])
        return Self(
            name: expression.description, content: .expression(expression, isAggregate: true), type: type.rowValueType,
            swiftType: type)
    }

    package func named(_ name: String) -> Self {
        var copy = self
        copy.name = name
        return copy
    }

    fileprivate var isAggregate: Bool {
        if case .expression(_, let isAggregate) = content { isAggregate } else { false }
    }

    fileprivate var isNamedByPath: Bool {
        if case .property(let path) = content { path == name } else { false }
    }

    /// The column without its name.
    fileprivate var meaning: String {
        switch content {
        case .property(let path): path
        case .expression(let expression, _): "(\(expression))"
        case .unnamed(let path): "\(path)"
        }
    }

    /// The column as a member of `propertiesToFetch`.
    fileprivate var property: Any {
        if isNamedByPath { return name }
        let description = NSExpressionDescription()
        description.name = name
        switch content {
        case .property(let path): description.expression = NSExpression(forKeyPath: path)
        case .expression(let expression, let isAggregate):
            description.expression = expression
            if !isAggregate { description.expressionResultType = type.resultType }
        case .unnamed: break
        }
        return description
    }

    fileprivate func check(_ kind: AttributeKind, isComputed: Bool) throws {
        if type.holds(kind, isComputed: isComputed) { return }
        let names = kind.names
        throw ColumnList.failure(
            "\"\(name)\" is of the type \(names.model), whose values \(swiftType) does not hold: ask for "
                + "\(names.swift), or an optional of it", name)
    }

    fileprivate func checkReference() throws {
        if type.content == .identity { return }
        throw ColumnList.failure(
            "\"\(name)\" is an object, which \(swiftType) does not hold: ask for NSManagedObjectID, or an optional of "
                + "it", name)
    }
}

extension NSEntityDescription {
    /// The slot of the attribute or to-one relationship at the end of a path through to-one relationships and
    /// composite attributes; nil for another path.
    fileprivate func slot(at path: String) -> Slot? {
        var layout = self.layout
        if let slot = layout.slot(named: path) { return layout.slots[slot] }
        var name = ""
        var found: Slot?
        for key in path.split(separator: ".") {
            name += name.isEmpty ? key : "." + key
            if case .toOne(let relationship)? = found?.kind { layout = relationship.destination.layout }
            found = layout.slot(named: name).map { layout.slots[$0] }
            if let found, case .toOne = found.kind { name = "" }
        }
        return found
    }
}
