import Foundation

/// The failure that ends the tool early: a line for a person, and a status for a script.
package struct Failure: LocalizedError {
    package enum Status: Int32 {
        case damage = 1
        case unusable = 2
    }

    package var message: String
    package var status: Status

    package init(_ message: String, status: Status = .unusable) {
        self.message = message
        self.status = status
    }

    package var errorDescription: String? { message }
}
