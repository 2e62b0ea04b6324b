#if SwiftData
// What a file needs that imports this module alone.
public import class FirnFoundation.UndoManager
public import class FirnFoundation.ValueTransformer
@_exported public import Foundation
@_exported public import Observation

/// Records what can be undone. Foundation lacks the class on Linux.
public typealias UndoManager = FirnFoundation.UndoManager
/// Turns values into what a store has. Foundation lacks the class on Linux.
public typealias ValueTransformer = FirnFoundation.ValueTransformer
#endif
