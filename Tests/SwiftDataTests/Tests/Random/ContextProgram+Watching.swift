import Foundation
import Observation
import SwiftData
import Synchronization

/// The observation of a model's property while a step runs.
final class Watch {
    private let model: any PersistentModel
    private let context: ModelContext
    private let name: String
    /// The value as plain values have it.
    private let value: (PlainLibrary) -> AnyHashable?
    private let before: AnyHashable?
    private let notification = Notification()

    private final class Notification: Sendable {
        let isSent = Mutex(false)
    }

    init(
        _ model: any PersistentModel, _ program: ContextProgram, _ name: String, _ read: () -> Void,
        _ value: @escaping (PlainLibrary) -> AnyHashable?
    ) {
        (self.model, context, self.name, self.value) = (model, program.context, name, value)
        before = value(program.shown)
        withObservationTracking(read) { [notification] in notification.isSent.withLock { $0 = true } }
    }

    /// Throws if the property changed and no observer heard of it.
    func check(_ program: ContextProgram) throws {
        guard program.context === context, model.modelContext === context else { return }
        // What others saved, and what deletions took, shows when the context is used.
        context.processPendingChanges()
        let after = value(program.shown)
        if after != before, after != nil, !notification.isSent.withLock({ $0 }) {
            let values = [before, after].map { $0.map { "\($0)" } ?? "nil" }
            throw program.mismatch("no observer heard of \(name): \(values[0]) is \(values[1])")
        }
    }
}

extension ContextProgram {
    /// Observes a property of one model, or nothing.
    func watch() throws -> Watch? {
        switch Int.random(in: 0..<8, using: &numbers) {
        case 0:
            guard let number = one(shown.racks.keys.sorted()), let rack = try rack(number) else { return nil }
            return Watch(rack, self, "tomes of rack \(number)", { _ = rack.tomes.count }) { plain in
                plain.racks[number] == nil ? nil : Set(plain.rackOfTome.filter { $0.value == number }.keys)
            }
        case 1:
            guard let number = one(shown.racks.keys.sorted()), let rack = try rack(number) else { return nil }
            return Watch(rack, self, "stamps of rack \(number)", { _ = rack.stamps.count }) { plain in
                plain.racks[number] == nil ? nil : Set(plain.pairs.filter { $0.rack == number }.map(\.stamp))
            }
        case 2:
            guard let number = one(shown.tomes.keys.sorted()), let tome = try tome(number) else { return nil }
            return Watch(tome, self, "rack of tome \(number)", { _ = tome.rack }) { plain in
                plain.tomes[number] == nil ? nil : plain.rackOfTome[number] ?? 0
            }
        case 3:
            guard let number = one(shown.tomes.keys.sorted()), let tome = try tome(number) else { return nil }
            return Watch(tome, self, "showing of tome \(number)", { _ = tome.showing }) { plain in
                plain.tomes[number] == nil ? nil : plain.shown.first { $0.value == number }?.key ?? 0
            }
        case 4:
            guard let number = one(shown.racks.keys.sorted()), let rack = try rack(number) else { return nil }
            return Watch(rack, self, "value of rack \(number)", { _ = rack.value }) { $0.racks[number] }
        case 5:
            guard let number = one(shown.racks.keys.sorted()), let rack = try rack(number) else { return nil }
            return Watch(rack, self, "shown of rack \(number)", { _ = rack.shown }) { plain in
                plain.racks[number] == nil ? nil : plain.shown[number] ?? 0
            }
        default: return nil
        }
    }
}
