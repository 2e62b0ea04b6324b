public import FirnLog
public import Foundation

/// A point in a store's history.
public enum HistoryPoint: Hashable, Sendable {
    /// After this record.
    case sequence(SequenceNumber)
    /// After the last record that was written at or before this date.
    case date(Date)
    /// After the last transaction that a token knows of.
    case token(NSPersistentHistoryToken)
}
