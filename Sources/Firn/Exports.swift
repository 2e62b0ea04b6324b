// What a file needs that imports this module. The scoped imports settle names that Foundation has too on Linux:
// a scoped re-export wins over a whole module's, so that a file may import both.
@_exported public import FirnFoundation
@_exported public import class FirnFoundation.NSComparisonPredicate
@_exported public import class FirnFoundation.NSCompoundPredicate
@_exported public import class FirnFoundation.NSExpression
@_exported public import class FirnFoundation.NSPredicate
@_exported public import class FirnFoundation.NSSortDescriptor
@_exported public import enum FirnLog.Durability
@_exported public import struct FirnLog.SequenceNumber
@_exported public import FirnModel
@_exported public import FirnStore
