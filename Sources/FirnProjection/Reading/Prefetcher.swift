internal import Dispatch
internal import Foundation

/// Reads parts on another thread, while the caller works on earlier ones.
///
/// It does not wait for a free thread: until one starts, the caller reads the next part itself.
package final class Prefetcher<Part>: @unchecked Sendable {
    /// The next part, and whether it is the last. Never called by two threads at once, nor after the last part.
    package typealias Read = () throws -> (part: Part, isLast: Bool)

    /// Guards all that follows.
    private let condition = NSCondition()
    private var read: Read?
    private var isReading = false
    private var hasEnded = false
    private var failure: (any Error)?
    /// Parts that were read and not yet returned by `next()`.
    private var parts: [Part] = []

    private init(_ read: @escaping Read) { self.read = read }

    /// Calls `use` with each part, in order, on this thread. `read` is not called any more when this returns or throws.
    ///
    /// If the first part is the last, no other thread is used.
    package static func forEach(_ read: @escaping Read, _ use: (Part) throws -> Void) throws {
        let first = try read()
        if first.isLast { return try use(first.part) }
        let prefetcher = Prefetcher(read)
        DispatchQueue.global(qos: .userInitiated).async { prefetcher.run() }
        defer { prefetcher.end() }
        try use(first.part)
        while let part = try prefetcher.next() { try use(part) }
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

    /// Called with the lock, which it releases while it reads.
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
