import FirnFoundation
package import FirnLog
import Foundation

extension TransactionHeader {
    private static let processName = ProcessInfo.processInfo.processName
    private static let bundleID = Bundle.main.bundleIdentifier

    /// The header of a record that no context wrote.
    package static func ofProcess(date: Int64) -> TransactionHeader {
        TransactionHeader(
            date: date, id: .random(), processName: processName, processID: ProcessNumber.current, bundleID: bundleID,
            metadata: Instruments.current?.metadata ?? [:])
    }
}
