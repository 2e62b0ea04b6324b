/// The next step of a subscription, decided without doing it.
///
///     batch of n ─ deliver n ─ succeeded ──────────────────────────► advance n
///                     │ failed, again and again, attemptsMax times
///                     ▼
///                  deliver 1 ─ succeeded ─ advance 1 ─ deliver 1 …
///                     │ failed attemptsMax times
///                     ▼
///                  set 1 aside ─ deliver 1 …
package struct Delivery: Hashable {
    package enum Action: Hashable {
        /// Hands the handler the first records that are left: how many.
        case deliver(Int)
        /// Waits, then hands the first records over again: how many, and after how many milliseconds.
        case retry(Int, afterMilliseconds: Int)
        /// The first records are done: how many.
        case advance(Int)
        /// The first record cannot be delivered.
        case setAside
        /// All of the batch is done with.
        case finish
    }

    private let attemptsMax: Int
    private let delayMilliseconds: Int
    private var left: Int
    private var size: Int
    private var attempts = 0

    static let delayMillisecondsMax = 60_000

    /// For a batch of `count` records.
    package init(count: Int, attemptsMax: Int, delayMilliseconds: Int) {
        guard count > 0 && attemptsMax > 0 else {
            fatalError("a batch has a record, and at least one attempt is made")
        }
        left = count
        size = count
        self.attemptsMax = attemptsMax
        self.delayMilliseconds = delayMilliseconds
    }

    /// The first action, and the one after an advance.
    package func next() -> Action { left == 0 ? .finish : .deliver(min(size, left)) }

    package mutating func succeeded() -> Action {
        let done = min(size, left)
        left -= done
        attempts = 0
        return .advance(done)
    }

    package mutating func failed() -> Action {
        attempts += 1
        if attempts < attemptsMax { return .retry(min(size, left), afterMilliseconds: delay) }
        attempts = 0
        if min(size, left) > 1 {
            size = 1
            return .deliver(1)
        }
        left -= 1
        return .setAside
    }

    /// Doubles with every attempt.
    private var delay: Int { min(delayMilliseconds << min(attempts - 1, 20), Self.delayMillisecondsMax) }
}
