import Foundation

import class FirnFoundation.NSComparisonPredicate
import class FirnFoundation.NSCompoundPredicate
import class FirnFoundation.NSExpression
import class FirnFoundation.NSFetchRequestExpression
import class FirnFoundation.NSPredicate
import class FirnFoundation.NSSortDescriptor
import enum FirnFoundation.PredicateFunction
import struct FirnFoundation.Selector

/// Predicates, expressions and sort descriptors as Apple's Foundation archives them.
struct ArchivedPredicate {
    /// More levels than a person writes. Deeper archives, and archives that contain themselves, are refused.
    private static let depthMax = 64

    private let archive: KeyedArchive

    init(_ archive: KeyedArchive) { self.archive = archive }

    /// Nil for an object that is no predicate of a supported kind.
    func predicate(_ object: KeyedArchive.Record, depth: Int = 0) -> NSPredicate? {
        guard depth < Self.depthMax else { return nil }
        switch object.className {
        case "NSTruePredicate": return NSPredicate(value: true)
        case "NSFalsePredicate": return NSPredicate(value: false)
        case "NSCompoundPredicate":
            let parts = archive.members("NSSubpredicates", of: object).map {
                predicate($0, depth: depth + 1)
            }
            let type = archive.integer("NSCompoundPredicateType", of: object) ?? 0
            guard
                let type = UInt(exactly: type).flatMap({
                    NSCompoundPredicate.LogicalType(rawValue: $0)
                }),
                parts.allSatisfy({ $0 != nil }), type != .not || parts.count == 1
            else { return nil }
            return NSCompoundPredicate(type: type, subpredicates: parts.compactMap { $0 })
        case "NSComparisonPredicate": return comparison(object, depth: depth)
        default: return nil
        }
    }

    /// Nil for an object that is no expression of a supported kind.
    func expression(_ object: KeyedArchive.Record, depth: Int = 0) -> NSExpression? {
        guard depth < Self.depthMax else { return nil }
        switch object.className {
        case "NSSelfExpression": return .expressionForEvaluatedObject()
        case "NSVariableExpression":
            return archive.text("NSVariable", of: object).map { NSExpression(forVariable: $0) }
        case "NSKeyPathSpecifierExpression":
            return archive.text("NSKeyPath", of: object).map { NSExpression(forKeyPath: $0) }
        case "NSConstantValueExpression":
            return NSExpression(forConstantValue: archive.value(of: "NSConstantValue", in: object))
        case "NSAggregateExpression":
            return expressions("NSCollection", of: object, depth).map { NSExpression(forAggregate: $0) }
        case "NSKeyPathExpression": return keyPath(object, depth: depth)
        case "NSFunctionExpression": return function(object, depth: depth)
        case "NSFetchRequestExpression": return fetch(object, depth: depth)
        default: return nil
        }
    }

    /// Nil for a field that holds none.
    func sortDescriptors(_ field: String, of object: KeyedArchive.Record) -> [NSSortDescriptor]? {
        guard archive.object(field, of: object) != nil else { return nil }
        return archive.members(field, of: object).map { descriptor in
            let selector = archive.text("NSSelector", of: descriptor).map { Selector($0) }
            return NSSortDescriptor(
                key: archive.text("NSKey", of: descriptor),
                ascending: archive.flag("NSAscending", of: descriptor), selector: selector)
        }
    }

    private func comparison(_ object: KeyedArchive.Record, depth: Int) -> NSPredicate? {
        guard let left = archive.object("NSLeftExpression", of: object),
            let right = archive.object("NSRightExpression", of: object),
            let leftExpression = expression(left, depth: depth + 1),
            let rightExpression = expression(right, depth: depth + 1),
            let sign = archive.object("NSPredicateOperator", of: object),
            let number = archive.integer("NSOperatorType", of: sign).flatMap({ UInt(exactly: $0) }),
            let type = NSComparisonPredicate.Operator(rawValue: number)
        else { return nil }
        let modifier = archive.integer("NSModifier", of: sign).flatMap { UInt(exactly: $0) } ?? 0
        let options =
            archive.integer("NSOptions", of: sign) ?? archive.integer("NSFlags", of: sign) ?? 0
        return NSComparisonPredicate(
            leftExpression: leftExpression, rightExpression: rightExpression,
            modifier: .init(rawValue: modifier) ?? .direct, type: type,
            options: .init(rawValue: UInt(exactly: options) ?? 0))
    }

    /// A key path is a call of `valueForKey(Path):` on an operand; on the object itself it is a plain key path.
    private func keyPath(_ object: KeyedArchive.Record, depth: Int) -> NSExpression? {
        guard let argument = archive.members("NSArguments", of: object).first,
            let path = archive.text("NSKeyPath", of: argument),
            let operand = archive.object("NSOperand", of: object)
        else { return nil }
        if operand.className == "NSSelfExpression" { return NSExpression(forKeyPath: path) }
        // `$source.name`, as the values of mapping models begin.
        if operand.className == "NSVariableExpression", let name = archive.text("NSVariable", of: operand) {
            return NSExpression(forKeyPath: "$\(name).\(path)")
        }
        guard let target = expression(operand, depth: depth + 1) else { return nil }
        return NSExpression(
            forFunction: target, selectorName: "valueForKeyPath:",
            arguments: [NSExpression(forKeyPath: path)])
    }

    private func fetch(_ object: KeyedArchive.Record, depth: Int) -> NSExpression? {
        guard let request = archive.object("NSFRExpression", of: object).flatMap({ expression($0, depth: depth + 1) }),
            let context = archive.object("NSMOCExpression", of: object).flatMap({ expression($0, depth: depth + 1) })
        else { return nil }
        return NSFetchRequestExpression.expression(
            forFetch: request, context: context, countOnly: archive.flag("NSCountOnlyFlag", of: object))
    }

    /// Functions of the predicate language are archived as calls of a Foundation class. Other functions are calls of
    /// their operand.
    private func function(_ object: KeyedArchive.Record, depth: Int) -> NSExpression? {
        guard let name = archive.text("NSSelectorName", of: object),
            let arguments = expressions("NSArguments", of: object, depth),
            let operand = archive.object("NSOperand", of: object)
        else { return nil }
        if archive.text("NSConstantValueClassName", of: operand) == "_NSPredicateUtilities" {
            guard let known = PredicateFunction(rawValue: name), known.argumentCount.contains(arguments.count) else {
                return nil
            }
            return NSExpression(forFunction: name, arguments: arguments)
        }
        guard let target = expression(operand, depth: depth + 1) else { return nil }
        return NSExpression(forFunction: target, selectorName: name, arguments: arguments)
    }

    /// Nil if one of a field's objects is no expression of a supported kind.
    private func expressions(_ field: String, of object: KeyedArchive.Record, _ depth: Int) -> [NSExpression]? {
        let members = archive.members(field, of: object).map { expression($0, depth: depth + 1) }
        return members.contains(nil) ? nil : members.compactMap { $0 }
    }
}
