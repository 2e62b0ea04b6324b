import FirnLog

/// Names of rows for objects and contexts. They need not know that rows come from a log.
typealias ObjectKey = FirnLog.ObjectKey
typealias EntityNumber = FirnLog.EntityNumber
typealias PropertyValue = FirnLog.PropertyValue
