import FirnLog

/// What objects and contexts name of a row. They need not know that rows come from a log.
typealias ObjectKey = FirnLog.ObjectKey
typealias EntityNumber = FirnLog.EntityNumber
typealias PropertyValue = FirnLog.PropertyValue
