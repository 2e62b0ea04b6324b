import Foundation
import SwiftData
import Testing

enum DividedVersion1: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Left.self, Right.self] }

    @Model final class Left {
        var number: Int
        init(_ number: Int) { self.number = number }
    }

    @Model final class Right {
        var number: Int
        init(_ number: Int) { self.number = number }
    }
}

enum DividedVersion2: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Left.self, Right.self] }

    @Model final class Left {
        var number: Int
        var note = ""
        init(_ number: Int) { self.number = number }
    }

    @Model final class Right {
        var number: Int
        init(_ number: Int) { self.number = number }
    }
}

enum DividedPlan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [DividedVersion1.self, DividedVersion2.self] }
    static var stages: [MigrationStage] {
        [.lightweight(fromVersion: DividedVersion1.self, toVersion: DividedVersion2.self)]
    }
}

/// Names the last version; the one before it is that of its stage.
enum LastVersionPlan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [DividedVersion2.self] }
    static var stages: [MigrationStage] {
        [
            .custom(fromVersion: DividedVersion1.self, toVersion: DividedVersion2.self, willMigrate: nil) { context in
                for left in try context.fetch(FetchDescriptor<DividedVersion2.Left>()) { left.note = "migrated" }
                try context.save()
            }
        ]
    }
}

@Suite("A migration plan and several stores")
struct PartialPlanTests {
    let folder = TestFolder()

    private func context(_ version: any VersionedSchema.Type) throws -> ModelContext {
        let stores = version.models.map { type in
            ModelConfiguration("\(type)", schema: Schema([type]), url: folder.file("\(type).store"))
        }
        return ModelContext(
            try ModelContainer(
                for: Schema(versionedSchema: version), migrationPlan: DividedPlan.self, configurations: stores))
    }

    @Test("a container with a plan, whose models are divided among two stores, is opened again, and migrated")
    func opening() throws {
        for number in 1...2 {
            let context = try context(DividedVersion1.self)
            context.insert(DividedVersion1.Left(number))
            context.insert(DividedVersion1.Right(number))
            try context.save()
            #expect(try context.fetchCount(FetchDescriptor<DividedVersion1.Left>()) == number)
        }
        for _ in 1...2 {
            let context = try context(DividedVersion2.self)
            #expect(try context.fetch(FetchDescriptor<DividedVersion2.Left>()).map(\.note) == ["", ""])
            #expect(try context.fetchCount(FetchDescriptor<DividedVersion2.Right>()) == 2)
        }
    }

    @Test("a version that a stage alone names is one of the plan's")
    func stageVersion() throws {
        let store = ModelConfiguration(url: folder.file("Whole.store"))
        let first = try ModelContext(
            ModelContainer(for: Schema(versionedSchema: DividedVersion1.self), configurations: store))
        first.insert(DividedVersion1.Left(1))
        try first.save()
        let second = try ModelContext(
            ModelContainer(
                for: Schema(versionedSchema: DividedVersion2.self), migrationPlan: LastVersionPlan.self,
                configurations: store))
        #expect(try second.fetch(FetchDescriptor<DividedVersion2.Left>()).map(\.note) == ["migrated"])
    }
}
