import Foundation

/// An operation that ends when its state says so. Key-value observing passes it on.
class Chore: Operation {
    @objc enum State: Int { case waiting, running, done }

    private let lock = NSLock()
    private var stored = State.waiting

    @objc private dynamic var state: State {
        get { lock.withLock { stored } }
        set {
            lock.lock()
            defer { lock.unlock() }
            stored = newValue
        }
    }

    @objc private dynamic class func keyPathsForValuesAffectingIsExecuting() -> Set<String> { ["state"] }
    @objc private dynamic class func keyPathsForValuesAffectingIsFinished() -> Set<String> { [#keyPath(state)] }

    override var isExecuting: Bool { state == .running }
    override var isFinished: Bool { state == .done }
    override var isAsynchronous: Bool { true }
    override func start() { state = .running }
    func end() { state = .done }
}

/// A chore with one method for all keys, and a property that is stored.
class ShortChore: Operation {
    @objc private dynamic var step = 0

    override class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
        switch key {
        case "isExecuting", "isFinished": return ["step"]
        default: return super.keyPathsForValuesAffectingValue(forKey: key)
        }
    }

    override var isExecuting: Bool { step == 1 }
    override var isFinished: Bool { step == 2 }
    override var isAsynchronous: Bool { true }
    override func start() { step = 1 }
    func end() { step = 2 }
}

/// Puts a new file in the place of an old one.
struct Sweeper {
    @discardableResult
    func sweep(_ old: URL, with new: URL) throws -> URL? { try FileManager.default.replaceItemAt(old, withItemAt: new) }
}
