extension SegmentLog {
    private func path(_ name: String) -> String { directory + "/" + name + Format.subscriptionSuffix }

    /// All subscriptions, by name. One whose file cannot be read is an error: what it has not seen must not be cut
    /// off.
    public func subscriptions() throws -> [Subscription] {
        let names = try attempt { () throws(FileError) in try fileSystem.list(directory) }
        return try names.filter { $0.hasSuffix(Format.subscriptionSuffix) }.sorted().compactMap {
            try subscription(named: String($0.dropLast(Format.subscriptionSuffix.count)))
        }
    }

    /// The subscription of that name; nil if there is none.
    public func subscription(named name: String) throws -> Subscription? {
        guard Subscription.isValid(name) else { return nil }
        let path = path(name)
        guard try attempt({ () throws(FileError) in try fileSystem.kind(of: path) }) != nil else { return nil }
        let bytes = try attempt { () throws(FileError) in try fileSystem.contents(of: path) }
        guard let subscription = Subscription(name: name, decoding: bytes) else {
            throw LogError(
                .damaged, "The subscription's place cannot be read; delete the file to start it from the beginning.",
                path: path)
        }
        return subscription
    }

    /// Stores a subscription's place, durably, in one step: after a crash there is the old one or this one.
    public func store(_ subscription: Subscription) throws {
        try attempt { () throws(FileError) in
            try fileSystem.replaceFile(path(subscription.name), in: directory, with: subscription.encoded)
        }
    }

    /// Removes a subscription: trimming no longer waits for it. False if there is none of that name.
    @discardableResult
    public func removeSubscription(named name: String) throws -> Bool {
        guard try subscription(named: name) != nil else { return false }
        try attempt { () throws(FileError) in
            try fileSystem.remove(path(name))
            try fileSystem.syncDirectory(directory)
        }
        return true
    }

    /// The last record that every subscription is done with; nil if there is no subscription.
    public func seenByAllSubscriptions() throws -> SequenceNumber? {
        try subscriptions().map(\.checkpoint.sequence).min()
    }
}

/// The right to deliver for a subscription, which one reader has at a time.
public final class SubscriptionLease: Sendable {
    private let lock: any FileLock

    init(_ lock: any FileLock) { self.lock = lock }

    public func release() { lock.release() }
}

extension SegmentLog {
    /// Acquires the right to deliver for a subscription. Throws `locked` if another reader, here or in another
    /// process, has it.
    public func lease(ofSubscription name: String) throws -> SubscriptionLease {
        let path = path(name) + ".lock"
        let lock = try attempt { () throws(FileError) in try fileSystem.lock(path) }
        guard try attempt({ () throws(FileError) in try lock.acquire(waiting: false) }) else {
            throw LogError(.locked, "The subscription \(name) is being delivered elsewhere.", path: path)
        }
        return SubscriptionLease(lock)
    }
}
