public import Foundation

// Each shim is disfavored: where a Foundation has the symbol, its own is called.

extension NotificationCenter {
    /// The notifications of a center, one after the other, as they are posted: `for await note in …`.
    ///
    /// Foundation has it on Apple's systems (macOS 12, iOS 15), and not on Linux up to Swift 6.3. An iterator begins to
    /// observe when it is made. None of its notifications is lost while the loop is busy. Unchecked for the object,
    /// which is compared and not used.
    public struct Notifications: AsyncSequence, @unchecked Sendable {
        let center: NotificationCenter
        let name: Notification.Name
        let object: AnyObject?

        public func makeAsyncIterator() -> Iterator { Iterator(self) }

        public struct Iterator: AsyncIteratorProtocol {
            private var notifications: AsyncStream<Posted>.Iterator
            private let observation: Observation

            init(_ sequence: Notifications) {
                let (stream, continuation) = AsyncStream.makeStream(of: Posted.self)
                notifications = stream.makeAsyncIterator()
                let token = sequence.center.addObserver(forName: sequence.name, object: sequence.object, queue: nil) {
                    continuation.yield(Posted(notification: $0))
                }
                observation = Observation(center: sequence.center, token: token)
            }

            public mutating func next() async -> Notification? { await notifications.next()?.notification }

            public mutating func next(isolation actor: isolated (any Actor)?) async -> Notification? {
                await notifications.next(isolation: actor)?.notification
            }
        }

        /// A notification on its way from the poster's thread to the loop, which alone reads it.
        private struct Posted: @unchecked Sendable {
            let notification: Notification
        }

        /// Observes for as long as an iterator is there.
        private final class Observation {
            private let center: NotificationCenter
            private let token: any NSObjectProtocol

            init(center: NotificationCenter, token: any NSObjectProtocol) {
                self.center = center
                self.token = token
            }

            deinit { center.removeObserver(token) }
        }
    }

    /// The notifications with a name, of one object or of all.
    ///
    /// Foundation has it on Apple's systems (macOS 12, iOS 15), and not on Linux up to Swift 6.3.
    @_disfavoredOverload
    public func notifications(named name: Notification.Name, object: (any AnyObject)? = nil) -> Notifications {
        Notifications(center: self, name: name, object: object)
    }
}
