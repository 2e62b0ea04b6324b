// `import CoreData` is all that a file needs. See `Exports.swift` of `Firn` for the scoped imports.
@_exported public import Firn
@_exported public import class FirnFoundation.NSComparisonPredicate
@_exported public import class FirnFoundation.NSCompoundPredicate
@_exported public import class FirnFoundation.NSExpression
@_exported public import class FirnFoundation.NSPredicate
@_exported public import class FirnFoundation.NSSortDescriptor
@_exported public import Foundation
