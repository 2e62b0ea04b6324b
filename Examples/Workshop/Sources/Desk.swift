import Foundation
import SwiftData

/// The desk that lends tools: a model actor, so that its context is used by one task at a time.
@ModelActor
actor Desk {
    enum Problem: LocalizedError {
        case noSuchTool(Int)
        case noSuchMember(String)
        /// Somebody else has it.
        case lent(Int, to: String)

        var errorDescription: String? {
            switch self {
            case .noSuchTool(let number): "there is no tool \(number)"
            case .noSuchMember(let email): "there is no member \(email)"
            case .lent(let number, let holder): "tool \(number) is with \(holder)"
            }
        }
    }

    func add(_ tools: [(number: Int, name: String, kind: Tool.Kind, price: Decimal)]) throws {
        try save("stock") {
            for tool in tools {
                modelContext.insert(Tool(number: tool.number, name: tool.name, kind: tool.kind, price: tool.price))
            }
        }
    }

    func join(_ name: String, _ email: String, street: String, city: String) throws {
        try save("desk") {
            modelContext.insert(
                Member(name: name, email: email, address: Member.Address(street: street, city: city)))
        }
    }

    func move(_ email: String, to city: String) throws {
        try save("desk") { try member(email).address.city = city }
    }

    func lend(_ number: Int, to email: String, on day: Date) throws {
        try save("desk") {
            let (tool, member) = (try tool(number), try member(email))
            if let holder = try holder(of: number) { throw Problem.lent(number, to: holder) }
            modelContext.insert(Loan(tool, to: member, on: day))
        }
    }

    func endLoan(of number: Int, on day: Date) throws {
        try save("desk") { try openLoan(of: number)?.returned = day }
    }

    /// Ends what an earlier run left open.
    func endAllLoans(on day: Date) throws {
        try save("desk") {
            let open = FetchDescriptor<Loan>(predicate: #Predicate { $0.returned == nil })
            for loan in try modelContext.fetch(open) { loan.returned = day }
        }
    }

    /// Who has the tool now; nil if it is here.
    func holder(of number: Int) throws -> String? { try openLoan(of: number)?.member?.name }

    /// A block that throws leaves nothing behind.
    private func save(_ author: String, _ change: () throws -> Void) throws {
        modelContext.author = author
        try modelContext.transaction(block: change)
    }

    private func tool(_ number: Int) throws -> Tool {
        let found = try modelContext.fetch(FetchDescriptor<Tool>(predicate: #Predicate { $0.number == number }))
        guard let tool = found.first else { throw Problem.noSuchTool(number) }
        return tool
    }

    private func member(_ email: String) throws -> Member {
        let found = try modelContext.fetch(FetchDescriptor<Member>(predicate: #Predicate { $0.email == email }))
        guard let member = found.first else { throw Problem.noSuchMember(email) }
        return member
    }

    private func openLoan(of number: Int) throws -> Loan? {
        let open = #Predicate<Loan> { $0.tool?.number == number && $0.returned == nil }
        return try modelContext.fetch(FetchDescriptor(predicate: open)).first
    }
}
