import Foundation
import SwiftData

/// A tool that members of the workshop borrow.
@Model
final class Tool {
    #Unique<Tool>([\.number])
    #Index<Tool>([\.name])

    enum Kind: String, Codable {
        case hand, power, measuring
    }

    var number: Int
    var name: String
    var kind: Kind
    var price: Decimal
    @Relationship(deleteRule: .cascade, inverse: \Loan.tool) var loans: [Loan] = []

    init(number: Int, name: String, kind: Kind, price: Decimal) {
        self.number = number
        self.name = name
        self.kind = kind
        self.price = price
    }
}

/// Somebody who borrows tools.
@Model
final class Member {
    struct Address: Codable, Equatable {
        var street: String
        var city: String
    }

    @Attribute(.unique) var email: String
    var name: String
    var address: Address
    @Relationship(inverse: \Loan.member) var loans: [Loan] = []

    init(name: String, email: String, address: Address) {
        self.name = name
        self.email = email
        self.address = address
    }
}

/// A tool in somebody's hands, until it is returned.
@Model
final class Loan {
    var day: Date
    var returned: Date?
    var tool: Tool?
    var member: Member?

    init(_ tool: Tool, to member: Member, on day: Date) {
        self.day = day
        self.tool = tool
        self.member = member
    }
}
