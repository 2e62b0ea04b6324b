import Foundation
import SwiftData
import Testing

/// Ends the process where a test says so.
enum InterruptedPlan: SchemaMigrationPlan {
    enum Place { case willMigrate, didMigrate }

    nonisolated(unsafe) static var end: Place?
    nonisolated(unsafe) static var loudness: [Bool] = []
    static var schemas: [any VersionedSchema.Type] { [QuietOptions.self, LoudOptions.self] }
    static var stages: [MigrationStage] {
        [
            .custom(
                fromVersion: QuietOptions.self, toVersion: LoudOptions.self,
                willMigrate: { context in
                    loudness = try context.fetch(FetchDescriptor<QuietOptions.Options>()).map { !$0.isQuiet }
                    for _ in 1...2 { context.insert(QuietOptions.Options(isQuiet: true)) }
                    try context.save()
                    if end == .willMigrate { exit(7) }
                },
                didMigrate: { context in
                    if end == .didMigrate { exit(7) }
                    let options = try context.fetch(FetchDescriptor<LoudOptions.Options>())
                    for (options, isLoud) in zip(options, loudness) { options.isLoud = isLoud }
                })
        ]
    }
}

@Suite("A migration that a process did not finish", .serialized)
struct InterruptedMigrationTests {
    let folder = TestFolder()

    static func open(_ version: any VersionedSchema.Type, _ path: String) throws -> ModelContext {
        let store = ModelConfiguration(url: URL(fileURLWithPath: path))
        return ModelContext(
            try ModelContainer(
                for: Schema(versionedSchema: version), migrationPlan: InterruptedPlan.self, configurations: store))
    }

    private func finish(_ path: String) throws {
        let left = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
        #expect(left.contains { $0.hasPrefix(".migration") })
        let context = try Self.open(LoudOptions.self, path)
        let options = try context.fetch(FetchDescriptor<LoudOptions.Options>())
        #expect(options.count == 3)
        #expect(options.first?.isLoud == false)
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
        #expect(files.filter { $0.hasPrefix(".migration") } == [])
    }

    private func makeStore() throws -> String {
        let path = folder.file("Options.store").path
        let old = try Self.open(QuietOptions.self, path)
        old.insert(QuietOptions.Options(isQuiet: true))
        try old.save()
        return path
    }

    @Test("a process killed in willMigrate leaves the old store, and the next opening migrates it")
    func before() async throws {
        let path = try makeStore()
        await #expect(processExitsWith: .exitCode(7)) { [path = path as String] in
            InterruptedPlan.end = .willMigrate
            _ = try InterruptedMigrationTests.open(LoudOptions.self, path)
        }
        try finish(path)
    }

    @Test("a process killed before didMigrate leaves the old store, and the next opening migrates it")
    func between() async throws {
        let path = try makeStore()
        await #expect(processExitsWith: .exitCode(7)) { [path = path as String] in
            InterruptedPlan.end = .didMigrate
            _ = try InterruptedMigrationTests.open(LoudOptions.self, path)
        }
        try finish(path)
    }
}
