import Foundation
import Testing

@testable import SwiftData

@Suite("History")
struct HistoryTests {
    let folder = TestFolder()
    let container: ModelContainer
    let context: ModelContext

    init() throws {
        container = try ModelContainer(
            for: Trip.self, configurations: ModelConfiguration(url: folder.file("Trips.store")))
        context = ModelContext(container)
    }

    private typealias Descriptor = HistoryDescriptor<DefaultHistoryTransaction>

    /// A save for each number of days.
    private func save(_ days: ClosedRange<Int>) throws -> Trip {
        let trip = Trip(name: "A", days: 0)
        context.insert(trip)
        for number in days {
            trip.days = number
            try context.save()
        }
        return trip
    }

    /// The transactions found, and how many were read for it.
    private func found(_ descriptor: Descriptor) throws -> (found: [DefaultHistoryTransaction], readCount: Int) {
        var reading = HistoryReading(context, descriptor)
        return (try reading.run(), reading.readCount)
    }

    @Test("what follows a token is read, and nothing else")
    func afterToken() throws {
        _ = try save(1...50)
        let all = try context.fetchHistory(Descriptor())
        let token = all[44].token
        let later = try found(Descriptor(predicate: #Predicate { $0.token > token }))
        #expect(later.found.map(\.token) == all[45...].map(\.token))
        #expect(later.readCount == 5)
        let number = all[9].transactionIdentifier
        let first = all[5].token
        let between = try found(
            Descriptor(predicate: #Predicate { $0.transactionIdentifier <= number && first <= $0.token }))
        #expect(between.found.map(\.token) == all[5...9].map(\.token))
        #expect(between.readCount == 5)
        let same = try found(Descriptor(predicate: #Predicate { $0.transactionIdentifier == number }))
        #expect(same.found.map(\.token) == [all[9].token])
        #expect(same.readCount == 1)
        let elsewhere = try found(Descriptor(predicate: #Predicate { $0.storeIdentifier == "another" }))
        #expect(elsewhere.found.isEmpty)
        #expect(elsewhere.readCount == 0)
    }

    @Test("a predicate on dates finds what one in memory finds")
    func dates() throws {
        _ = try save(1...20)
        let all = try context.fetchHistory(Descriptor())
        for index in [0, 7, 19] {
            let date = all[index].timestamp
            let later = try context.fetchHistory(Descriptor(predicate: #Predicate { $0.timestamp > date }))
            #expect(later.map(\.token) == all.filter { $0.timestamp > date }.map(\.token))
            let before = try found(Descriptor(predicate: #Predicate { $0.timestamp < date }))
            #expect(before.found.map(\.token) == all.filter { $0.timestamp < date }.map(\.token))
            #expect(before.readCount <= index + 3)
        }
    }

    @Test("a limit ends the reading; with an order the last come first")
    func limits() throws {
        _ = try save(1...20)
        let all = try context.fetchHistory(Descriptor())
        var descriptor = Descriptor()
        descriptor.fetchLimit = 3
        let three = try found(descriptor)
        #expect(three.found.map(\.token) == all[..<3].map(\.token))
        #expect(three.readCount == 3)
        descriptor.sortBy = [SortDescriptor(\.transactionIdentifier, order: .reverse)]
        #expect(try context.fetchHistory(descriptor).map(\.token) == all[17...].reversed().map(\.token))
    }

    @Test("a predicate may read changes")
    func changes() throws {
        _ = try save(1...3)
        let large = try found(Descriptor(predicate: #Predicate { $0.changes.count > 1 }))
        #expect(large.found.isEmpty)
        #expect(large.readCount == 3)
        context.insert(Guide(name: "G"))
        context.insert(Guide(name: "H"))
        try context.save()
        #expect(try context.fetchHistory(Descriptor(predicate: #Predicate { $0.changes.count > 1 })).count == 1)
    }

    /// Tokens of a store that then was put back from a backup, and saved into again.
    @Test("a token of a history that a backup replaced has expired, while one of the common past has not")
    func otherHistory() throws {
        let (manager, backup) = (FileManager.default, folder.file("Backup.store"))
        let url = folder.file("Other.store")
        func open(_ url: URL) throws -> ModelContext {
            ModelContext(try ModelContainer(for: Trip.self, configurations: ModelConfiguration(url: url)))
        }
        func save(_ name: String, _ context: ModelContext) throws -> DefaultHistoryToken {
            context.insert(Trip(name: name, days: 1))
            try context.save()
            return try #require(context.fetchHistory(Descriptor()).last).token
        }
        let future = try open(url)
        let common = try save("A", future)
        for name in try manager.contentsOfDirectory(atPath: folder.url.path) where name.hasPrefix("Other.store") {
            let copy = backup.path + name.dropFirst("Other.store".count)
            try manager.copyItem(atPath: folder.file(name).path, toPath: copy)
        }
        let lost = try save("B", future)
        let context = try open(backup)
        let present = try save("C", context)
        #expect(present.tokenValue == lost.tokenValue)
        #expect(present != lost)
        let archived = try JSONDecoder().decode(DefaultHistoryToken.self, from: JSONEncoder().encode(lost))
        for token in [lost, archived] {
            let after = #Predicate<DefaultHistoryTransaction> { $0.token > token }
            let through = #Predicate<DefaultHistoryTransaction> { $0.token <= token }
            for predicate in [after, through] {
                #expect(throws: SwiftDataError.historyTokenExpired) {
                    try context.fetchHistory(Descriptor(predicate: predicate))
                }
                #expect(throws: SwiftDataError.historyTokenExpired) {
                    try context.deleteHistory(Descriptor(predicate: predicate))
                }
            }
            #expect(throws: SwiftDataError.historyTokenExpired) {
                try context.container.context(asOf: .token(token))
            }
            #expect(throws: SwiftDataError.historyTokenExpired) {
                let store = try #require(token.tokenValue?.keys.first)
                _ = try HistoryObserver(historyTokens: [store: token], modelContainer: context.container)
            }
        }
        let later = try context.fetchHistory(Descriptor(predicate: #Predicate { $0.token > common }))
        #expect(later.map(\.token) == [present])
        let old = try JSONDecoder().decode(
            DefaultHistoryToken.self, from: JSONEncoder().encode(["tokenValue": lost.tokenValue]))
        #expect(try context.fetchHistory(Descriptor(predicate: #Predicate { $0.token > old })).isEmpty)
    }

    @Test("a token from before what was deleted has expired, with the cause")
    func expired() throws {
        _ = try save(1...10)
        let tokens = try context.fetchHistory(Descriptor()).map(\.token)
        let (first, fifth, sixth) = (tokens[0], tokens[4], tokens[5])
        #expect(throws: SwiftDataError.invalidTransactionFetchRequest) {
            try context.deleteHistory(Descriptor(predicate: #Predicate { $0.token > fifth }))
        }
        try context.deleteHistory(Descriptor(predicate: #Predicate { $0.token <= fifth }))
        let error = #expect(throws: SwiftDataError.self) {
            try context.fetchHistory(Descriptor(predicate: #Predicate { $0.token > first }))
        }
        #expect(error == .historyTokenExpired)
        #expect(error?.underlyingError != nil)
        let rest = try context.fetchHistory(Descriptor(predicate: #Predicate { $0.token > fifth }))
        #expect(rest.first?.token == sixth)
        try context.deleteHistory(Descriptor())
        #expect(try context.fetchHistory(Descriptor()).isEmpty)
    }

    @Test("a change has the values from before and after: of attributes, structures and their parts, relationships")
    func values() throws {
        let trip = Trip(name: "A", days: 1)
        trip.kind = .business
        trip.place = Place(city: "Bern", country: "CH")
        let guide = Guide(name: "G")
        trip.guide = guide
        context.insert(trip)
        try context.save()
        let start = Date(timeIntervalSinceReferenceDate: 5)
        trip.days = 2
        trip.start = start
        trip.place.city = "Basel"
        trip.guide = nil
        try context.save()
        context.delete(trip)
        try context.save()
        let changes = try context.fetchHistory(Descriptor()).flatMap(\.changes)
        let insert = changes.compactMap { change in
            if case .insert(let change as DefaultHistoryInsert<Trip>) = change { change } else { nil }
        }
        let update = changes.compactMap { change in
            if case .update(let change as DefaultHistoryUpdate<Trip>) = change { change } else { nil }
        }
        let delete = changes.compactMap { change in
            if case .delete(let change as DefaultHistoryDelete<Trip>) = change { change } else { nil }
        }
        #expect(insert.first?.newValue(\.kind) == .business)
        #expect(insert.first?.newValue(\.place) == Place(city: "Bern", country: "CH"))
        #expect(insert.first?.newIdentifier(\.guide) == guide.persistentModelID)
        let changed = try #require(update.first)
        #expect(changed.oldValue(\.days) == 1)
        #expect(changed.newValue(\.days) == 2)
        #expect(changed.oldValue(\.start) == .some(nil))
        #expect(changed.newValue(\.start) == start)
        #expect(changed.oldValue(\.place.city) == "Bern")
        #expect(changed.newValue(\.place.city) == "Basel")
        #expect(changed.oldValue(\.place) == Place(city: "Bern", country: "CH"))
        #expect(changed.newValue(\.place) == Place(city: "Basel", country: "CH"))
        #expect(changed.oldValue(\.name) == nil)
        #expect(changed.oldIdentifier(\.guide) == guide.persistentModelID)
        #expect(changed.newIdentifier(\.guide) == nil)
        #expect(delete.first?.oldValue(\.name) == "A")
        #expect(delete.first?.oldValue(\.place) == Place(city: "Basel", country: "CH"))
    }

    @Test("a transaction says which process saved")
    func process() throws {
        _ = try save(1...1)
        let transaction = try #require(try context.fetchHistory(Descriptor()).first)
        #expect(!transaction.processIdentifier.isEmpty)
        #expect(transaction.storeIdentifier == container.storeIdentifier(forConfigurationNamed: "Trips"))
    }

    @Test("a context of the past reads what the store had, and does not save")
    func past() throws {
        let trip = try save(1...3)
        trip.stops = [Stop(title: "S")]
        try context.save()
        let transactions = try context.fetchHistory(Descriptor())
        context.delete(trip)
        try context.save()
        for (index, days) in [1, 2, 3].enumerated() {
            for moment in [
                HistoryMoment.token(transactions[index].token),
                .transaction(transactions[index].transactionIdentifier), .date(transactions[index].timestamp),
            ] {
                let past = try container.context(asOf: moment)
                let found = try past.fetch(FetchDescriptor<Trip>(predicate: #Predicate { $0.name == "A" }))
                #expect(found.map(\.days) == [days])
                #expect(found.first?.stops.isEmpty == true)
            }
        }
        let last = try container.context(asOf: .token(try #require(transactions.last).token))
        let found = try #require(try last.fetch(FetchDescriptor<Trip>()).first)
        #expect(found.stops.map(\.title) == ["S"])
        #expect((last.model(for: found.persistentModelID) as? Trip)?.days == 3)
        found.days = 9
        #expect(throws: (any Error).self) { try last.save() }
        #expect(throws: SwiftDataError.invalidTransactionFetchRequest) {
            try container.context(asOf: .transaction(1000))
        }
    }

    @Test("a predicate on changes that another predicate asks sees the changes")
    func nestedPredicate() throws {
        let memory = ModelConfiguration(isStoredInMemoryOnly: true)
        let context = ModelContext(try ModelContainer(for: Trip.self, configurations: memory))
        context.insert(Trip(name: "A"))
        try context.save()
        context.insert(Trip(name: "B"))
        context.insert(Trip(name: "C"))
        try context.save()
        let large = #Predicate<DefaultHistoryTransaction> { $0.changes.count > 1 }
        let descriptor = HistoryDescriptor<DefaultHistoryTransaction>(
            predicate: #Predicate { large.evaluate($0) })
        #expect(try context.fetchHistory(descriptor).count == 1)
    }
}
