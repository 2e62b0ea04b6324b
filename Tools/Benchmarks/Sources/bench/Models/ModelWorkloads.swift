import GRDB

/// SwiftData's models, next to the same with Core Data's front and with GRDB's `Codable` records.
///
/// The side `firn` is `import SwiftData`. Built with the trait `SwiftData` only: `Tools/bench models` does so.
extension Workload {
    #if SwiftData
    static var models: [Workload] { [createModels, fetchModels, sortModels, updateModels, deleteModels] }

    private static var createModels: Workload { Workload(
        name: "create-models", suite: .models,
        summary: "create 100,000 models of four properties and save, synced",
        goals: [.time(atMost: 1.2, of: "core-data"), .time(atMost: 0.6, of: "grdb-codable")],
        sides: [
            Side("grdb-codable") { trial in
                let queue = try GRDBProducts.create(trial)
                try trial.measure { try GRDBProducts.insert(trial, into: queue) }
                try GRDBProducts.read(queue, into: &trial.digest)
            },
            Side("core-data") { trial in
                let container = try CoreDataProducts.create(trial)
                let context = container.newBackgroundContext()
                try trial.measure { try CoreDataProducts.insert(trial, into: context) }
                try CoreDataProducts.read(container, into: &trial.digest)
            },
            Side("firn") { trial in
                let container = try SwiftDataProducts.create(trial)
                try trial.measure { try SwiftDataProducts.insert(trial, into: container) }
                try SwiftDataProducts.read(container, into: &trial.digest)
            },
        ]) }

    private static var fetchModels: Workload { Workload(
        name: "fetch-models", suite: .models,
        summary: "fetch 100,000 models and read every property",
        goals: [.time(atMost: 1.2, of: "core-data"), .time(atMost: 0.6, of: "grdb-codable")],
        sides: reading(GRDBProducts.read, CoreDataProducts.read, SwiftDataProducts.read)) }

    private static var sortModels: Workload { Workload(
        name: "sort-models", suite: .models,
        summary: "fetch a quarter of 100,000 models by two conditions, sorted by two properties, and read them",
        goals: [.time(atMost: 1.2, of: "core-data")],
        sides: reading(GRDBProducts.sort, CoreDataProducts.sort, SwiftDataProducts.sort)) }

    private static var updateModels: Workload { Workload(
        name: "update-models", suite: .models,
        summary: "fetch 100,000 models, change two properties of each second one and save, synced",
        goals: [.time(atMost: 1.2, of: "core-data")],
        sides: writing(GRDBProducts.update, CoreDataProducts.update, SwiftDataProducts.update)) }

    private static var deleteModels: Workload { Workload(
        name: "delete-models", suite: .models,
        summary: "fetch 100,000 models, delete each and save, synced",
        goals: [.time(atMost: 1.2, of: "core-data")],
        sides: writing(GRDBProducts.delete, CoreDataProducts.delete, SwiftDataProducts.delete)) }

    private static func reading(
        _ grdb: @escaping (DatabaseQueue, inout Digest) throws -> Void,
        _ coreData: @escaping (CoreDataProducts.Container, inout Digest) throws -> Void,
        _ swiftData: @escaping (SwiftDataProducts.Container, inout Digest) throws -> Void
    ) -> [Side] {
        [
            Side("grdb-codable") { trial in
                let queue = try GRDBProducts.created(trial)
                try trial.measure { try grdb(queue, &trial.digest) }
            },
            Side("core-data") { trial in
                let container = try CoreDataProducts.created(trial)
                try trial.measure { try coreData(container, &trial.digest) }
            },
            Side("firn") { trial in
                let container = try SwiftDataProducts.created(trial)
                try trial.measure { try swiftData(container, &trial.digest) }
            },
        ]
    }

    private static func writing(
        _ grdb: @escaping (DatabaseQueue) throws -> Void,
        _ coreData: @escaping (CoreDataProducts.Container) throws -> Void,
        _ swiftData: @escaping (SwiftDataProducts.Container) throws -> Void
    ) -> [Side] {
        [
            Side("grdb-codable") { trial in
                let queue = try GRDBProducts.created(trial)
                try trial.measure { try grdb(queue) }
                try GRDBProducts.read(queue, into: &trial.digest)
            },
            Side("core-data") { trial in
                let container = try CoreDataProducts.created(trial)
                try trial.measure { try coreData(container) }
                try CoreDataProducts.read(container, into: &trial.digest)
            },
            Side("firn") { trial in
                let container = try SwiftDataProducts.created(trial)
                try trial.measure { try swiftData(container) }
                try SwiftDataProducts.read(container, into: &trial.digest)
            },
        ]
    }
    #else
    static var models: [Workload] { [] }
    #endif
}
