import Firn
import FirnModel
import TestSupport
import Testing

@Suite("Properties that one thread sets while others read them")
struct SharedPropertyTests {
    /// A value that is freed too early stops the program in most runs of this length.
    private static let rounds = 500_000

    /// A text that is longer than one that is kept without memory of its own.
    private static func text(_ round: Int) -> String { "a text that is longer than fifteen bytes \(round)" }

    /// Sets values on one thread, and reads them on two.
    private func share(set: @escaping @Sendable (String) -> Void, read: @escaping @Sendable () -> Int?) {
        runThreads(3) { thread in
            for round in 0..<Self.rounds {
                if thread == 0 { set(Self.text(round)) } else { _ = read() }
            }
        }
    }

    @Test("a coordinator's name")
    func name() {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Library.model())
        share(set: { coordinator.name = $0 }, read: { coordinator.name?.utf8.count })
        #expect(coordinator.name == Self.text(Self.rounds - 1))
    }

    @Test("a model's localization")
    func localization() {
        let model = Library.model()
        share(set: { model.localizationDictionary = [$0: $0] }, read: { model.localizationDictionary?.count })
        #expect(model.localizationDictionary?.keys.first == Self.text(Self.rounds - 1))
    }
}
