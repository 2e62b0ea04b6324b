import Foundation
import SwiftData

// Actors.
@ModelActor
actor Importer {
    private var count = 0

    func importCompanies(_ names: [String]) throws -> [PersistentIdentifier] {
        let companies = names.map { Company(name: $0, country: "CH", address: Address(city: "Bern")) }
        companies.forEach(modelContext.insert)
        try modelContext.save()
        count += companies.count
        return companies.map(\.persistentModelID)
    }

    func rename(_ id: PersistentIdentifier, to name: String) throws {
        guard let company = self[id, as: Company.self] else { return }
        company.name = name
        try modelContext.save()
    }

    func names(since year: Int) throws -> [String] {
        let descriptor = FetchDescriptor<Media>(
            predicate: #Predicate { $0.year >= year }, sortBy: [SortDescriptor(\.title, order: .reverse)])
        return try modelContext.fetch(descriptor).map(\.title)
    }
}

@ModelActor
public actor Bank {
    public func deposit(_ amount: Int, to id: PersistentIdentifier) throws -> Int? {
        let account = self[id, as: Account.self]
        account?.deposit(amount)
        try modelContext.save()
        return account?.balance
    }
}

@MainActor
final class Controller {
    let container: ModelContainer
    private(set) var jobs: [Job] = []

    init() throws {
        container = try ModelContainer(
            for: Job.self, Company.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    }

    func reload() throws {
        let open = Status.open
        var descriptor = FetchDescriptor<Job>(predicate: #Predicate { $0.status == open })
        descriptor.fetchLimit = 20
        jobs = try container.mainContext.fetch(descriptor)
    }

    func add() async throws {
        let importer = Importer(modelContainer: container)
        let ids = try await importer.importCompanies(["A"])
        for id in ids { try await importer.rename(id, to: "B") }
        for id in ids { print((container.mainContext.model(for: id) as? Company)?.name ?? "") }
        try container.mainContext.transaction {
            container.mainContext.insert(Job())
            try container.mainContext.delete(model: Job.self, where: #Predicate { $0.status.rawValue == "done" })
        }
    }

    func observe() {
        let job = Job()
        withObservationTracking {
            _ = job.priority
        } onChange: {
            print("changed")
        }
    }
}
