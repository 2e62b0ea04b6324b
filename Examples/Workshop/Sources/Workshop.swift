// A workshop that lends tools, with @Model and #Predicate, and with the history that every store has.
//
//     swift run Workshop [FOLDER]     the store is made in the folder, else in the temporary one
import Foundation
import SwiftData

@main
enum Workshop {
    static func main() async {
        do { try await run() } catch {
            try? FileHandle.standardError.write(contentsOf: Data("Workshop: \(error.localizedDescription)\n".utf8))
            exit(1)
        }
    }

    private static func run() async throws {
        let folder = CommandLine.arguments.dropFirst().first ?? NSTemporaryDirectory()
        let store = URL(fileURLWithPath: folder, isDirectory: true).appendingPathComponent("Workshop.store")
        let container = try ModelContainer(
            for: Tool.self, Member.self, configurations: ModelConfiguration(url: store))
        let desk = Desk(modelContainer: container)
        try await fill(desk)
        try await lend(desk)
        try ask(ModelContext(container))
        try lookBack(container)
    }

    private static func fill(_ desk: Desk) async throws {
        try await desk.add([
            (1, "plane", .hand, 48), (2, "drill", .power, 129), (3, "saw", .power, 210), (4, "caliper", .measuring, 35),
        ])
        try await desk.join("Ada", "ada@example.org", street: "Mill Lane 2", city: "Bern")
        try await desk.join("Ben", "ben@example.org", street: "High Street 9", city: "Basel")
        // The same number once more: the saved tool gets the new values.
        try await desk.add([(4, "caliper", .measuring, 39)])
    }

    private static func lend(_ desk: Desk) async throws {
        try await desk.endAllLoans(on: day(0))
        try await desk.lend(2, to: "ada@example.org", on: day(1))
        do {
            try await desk.lend(2, to: "ben@example.org", on: day(2))
        } catch let problem as Desk.Problem {
            print(problem.localizedDescription)
        }
        try await desk.endLoan(of: 2, on: day(3))
        try await desk.lend(2, to: "ben@example.org", on: day(4))
        try await desk.lend(1, to: "ada@example.org", on: day(4))
        try await desk.move("ada@example.org", to: "Thun")
    }

    private static func ask(_ context: ModelContext) throws {
        let dear = FetchDescriptor<Tool>(
            predicate: #Predicate { $0.price > 100 && $0.kind.rawValue == "power" },
            sortBy: [SortDescriptor(\.price, order: .reverse)])
        print("dear power tools: \(try context.fetch(dear).map(\.name))")

        let away = #Predicate<Tool> { tool in tool.loans.contains { $0.returned == nil } }
        let lent = try context.fetch(FetchDescriptor(predicate: away, sortBy: [SortDescriptor(\.number)]))
        print("lent: \(lent.map(\.name))")

        for group in try context.groups(by: \Loan.member?.name, computing: .count()) {
            print("\(group.key ?? "nobody") borrowed \(group.values) times")
        }
        print("all tools cost \(try context.aggregate(Aggregate<Tool, Decimal>.sum(\.price)))")
    }

    /// The store keeps what it had: every save with its author, old values, and each state as it was.
    private static func lookBack(_ container: ModelContainer) throws {
        let context = ModelContext(container)
        let transactions = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
        for transaction in transactions {
            for case .update(let change as DefaultHistoryUpdate<Member>) in transaction.changes {
                if let old = change.oldValue(\.address.city), let new = change.newValue(\.address.city) {
                    print("\(transaction.author ?? "somebody"): a member moved from \(old) to \(new)")
                }
            }
        }
        // Before the last two saves Ada had nothing.
        let moment = HistoryMoment.token(transactions[transactions.count - 3].token)
        let then = try container.context(asOf: moment)
        let open = FetchDescriptor<Loan>(predicate: #Predicate { $0.returned == nil })
        print("then lent to: \(try then.fetch(open).compactMap { $0.member?.name })")
        print("now lent to: \(try context.fetch(open).compactMap { $0.member?.name }.sorted())")
    }

    private static func day(_ number: Int) -> Date { Date(timeIntervalSinceReferenceDate: Double(number) * 86_400) }
}
