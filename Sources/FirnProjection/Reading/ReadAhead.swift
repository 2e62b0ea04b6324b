internal import Dispatch
internal import Foundation

/// Reads one part after another on a thread of its own, while the caller works on those before.
///
/// Nobody waits for a thread to be free: as long as none has begun, the caller reads the next part itself.
package final class ReadAhead<Part>: @unchecked Sendable {
    /// The next part, and whether it is the last. Never called by two threads at once, nor after the last part.
    package typealias Read = () throws -> (part: Part, isLast: Bool)

    /// Over all that follows.
    private let condition = NSCondition()
    private var read: Read?
    private var isReading = false
    private var hasEnded = false
    private var failure: (any Error)?
    /// Read and not taken.
    private var parts: [Part] = []

    private init(_ read: @escaping Read) { self.read = read }

    /// Calls `use` with each part, in order, on this thread. `read` is not called any more when this returns or throws.
    ///
    /// A reading that is over with its first part takes no other thread.
    package static func forEach(_ read: @escaping Read, _ use: (Part) throws -> Void) throws {
        let first = try read()
        if first.isLast { return try use(first.part) }
        let ahead = ReadAhead(read)
        DispatchQueue.global(qos: .userInitiated).async { ahead.run() }
        defer { ahead.end() }
        try use(first.part)
        while let part = try ahead.next() { try use(part) }
    }

    private func run() {
        condition.lock()
        defer { condition.unlock() }
        while !hasEnded {
            if isReading { condition.wait() } else { readPart() }
        }
    }

    private func next() throws -> Part? {
        condition.lock()
        defer { condition.unlock() }
        while true {
            if !parts.isEmpty { return parts.removeFirst() }
            if let failure { throw failure }
            if hasEnded { return nil }
            if isReading { condition.wait() } else { readPart() }
        }
    }

    /// Under the lock, which it gives up meanwhile.
    private func readPart() {
        guard let read else { return }
        isReading = true
        condition.unlock()
        let result = Result { try read() }
        condition.lock()
        isReading = false
        switch result {
        case .success(let (part, isLast)):
            parts.append(part)
            if isLast { hasEnded = true }
        case .failure(let error):
            failure = error
            hasEnded = true
        }
        condition.broadcast()
    }

    private func end() {
        condition.lock()
        defer { condition.unlock() }
        hasEnded = true
        while isReading { condition.wait() }
        read = nil
        parts = []
    }
}
