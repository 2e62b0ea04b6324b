import Firn
import Foundation
import StoreSupport
import Testing

/// The sets of which are filled by another thread while objects come.
@Suite("An event of many objects")
struct LargeEventTests {
    private let context: NSManagedObjectContext
    private let told = Told()

    /// What the last `ObjectsDidChange` of the context told, by key. It is posted on the thread that the test is on.
    private final class Told: @unchecked Sendable {
        var last: [String: Set<NSManagedObject>] = [:]

        func take(_ notification: Notification) {
            last = [:]
            for (key, value) in notification.userInfo ?? [:] {
                if let key = key as? String, let value = value as? Set<NSManagedObject> { last[key] = value }
            }
        }
    }

    init() throws {
        context = try Library.inMemory().context()
    }

    private func listen() -> any NSObjectProtocol {
        let told = told
        return NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextObjectsDidChange, object: context, queue: nil) { told.take($0) }
    }

    private func make(_ count: Int) -> [NSManagedObject] {
        (0..<count).map { context.make("Author", ["name": "\($0)"]) }
    }

    @Test("tells of those that are new, that changed, and that were deleted", arguments: [8191, 8192, 20_000])
    func plain(count: Int) throws {
        let token = listen()
        defer { NotificationCenter.default.removeObserver(token) }
        let authors = make(count)
        context.processPendingChanges()
        #expect(told.last == [NSInsertedObjectsKey: Set(authors)])
        try context.save()
        for author in authors { author.setValue("changed", forKey: "name") }
        context.processPendingChanges()
        #expect(told.last == [NSUpdatedObjectsKey: Set(authors)])
        try context.save()
        for author in authors { context.delete(author) }
        context.processPendingChanges()
        #expect(told.last == [NSDeletedObjectsKey: Set(authors)])
    }

    @Test("tells nothing of new objects that were deleted in it, and all of those that came later")
    func mixed() {
        let token = listen()
        defer { NotificationCenter.default.removeObserver(token) }
        var authors = make(10_000)
        let gone = [authors.remove(at: 9_999), authors.remove(at: 4_000), authors.remove(at: 0)]
        for author in gone { context.delete(author) }
        authors += make(20_000)
        context.processPendingChanges()
        #expect(told.last[NSInsertedObjectsKey] == Set(authors))
        #expect(told.last[NSDeletedObjectsKey] == Set(gone))
    }

    @Test("lets the objects go when the context forgets them")
    func forgotten() {
        for _ in 0..<20 {
            let objects = make(9_000).map { Weak(object: $0) }
            context.reset()
            #expect(objects.allSatisfy { $0.object == nil })
        }
    }

    @Test("lets the objects go when the context goes")
    func dropped() throws {
        for _ in 0..<20 {
            let objects = try {
                let context = try Library.inMemory().context()
                return (0..<9_000).map { _ in Weak(object: context.make("Author")) }
            }()
            #expect(objects.allSatisfy { $0.object == nil })
        }
    }

    private struct Weak {
        weak var object: NSManagedObject?
    }
}
