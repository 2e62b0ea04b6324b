import Foundation
import SwiftData

enum Priority: Int, Codable, CaseIterable, Comparable, Sendable {
    case low, medium, high

    static func < (lhs: Priority, rhs: Priority) -> Bool { lhs.rawValue < rhs.rawValue }
}

enum Status: String, Codable, CaseIterable {
    case open, done
    var title: String { rawValue.capitalized }
}

enum Outcome: Codable, Hashable {
    case pending
    case won(score: Int)
    case lost(reason: String, by: Int)
}

struct Address: Codable, Hashable {
    var street = ""
    var city: String
    var zip: Int?
    var geo: Coordinate?
}

struct Coordinate: Codable, Hashable, Sendable {
    var latitude: Double
    var longitude: Double
}

struct Settings: Codable {
    var theme = "light"
    var tags: [String] = []
    var limits: [String: Int] = [:]
}

// Plain numbers and texts.
@Model
final class Numbers {
    var int: Int
    var int8: Int8 = 0
    var int16: Int16 = 0
    var int32: Int32 = 0
    var int64: Int64 = 0
    var uint: UInt = 0
    var uint32: UInt32 = 0
    var float: Float = 0
    var double: Double = 0
    var bool: Bool = false
    var decimal: Decimal = 0
    var text: String = ""

    init(int: Int) { self.int = int }
}

// Everything optional.
@Model
final class Optionals {
    var int: Int?
    var double: Double?
    var text: String?
    var date: Date?
    var data: Data?
    var url: URL?
    var uuid: UUID?
    var decimal: Decimal?
    var status: Status?
    var address: Address?
    var list: [Int]?

    init() {}
}

// Values of Foundation, with defaults from the declaration.
@Model
final class Document {
    @Attribute(.unique) var id: UUID = UUID()
    var created: Date = Date.now
    var link: URL
    @Attribute(.externalStorage) var body: Data = Data()
    var settings: Settings = Settings()

    init(link: URL) { self.link = link }
}

// Enumerations.
@Model
final class Job {
    var priority: Priority = Priority.low
    var status: Status
    var outcome: Outcome = Outcome.pending
    var history: [Outcome] = []
    var counts: [Status: Int] = [:]
    #Index<Job>([\.priority], [\.status, \.priority])

    init(status: Status = .open) { self.status = status }

    var isDone: Bool { status == .done }
}

// Composites, one to many, a rule.
@Model
final class Company {
    #Unique<Company>([\.name, \.country])
    var name: String
    var country: String
    var address: Address
    var branches: [Address] = []
    @Relationship(deleteRule: .cascade, inverse: \Employee.company) var employees: [Employee] = []
    @Transient var selection: Set<String> = []

    init(name: String, country: String, address: Address) {
        self.name = name
        self.country = country
        self.address = address
    }
}

@Model
final class Employee {
    var name: String
    var company: Company?
    var manager: Employee?
    @Relationship(inverse: \Employee.manager) var reports: [Employee] = []
    @Relationship(deleteRule: .nullify) var badge: Badge?

    init(name: String, company: Company? = nil) {
        self.name = name
        self.company = company
    }
}

// One to one, mandatory.
@Model
final class Badge {
    @Attribute(.unique, originalName: "no") var number: Int
    @Relationship(inverse: \Employee.badge) var owner: Employee?

    init(number: Int) { self.number = number }
}

// Many to many.
@Model
final class Course {
    var title: String
    @Relationship(inverse: \Student.courses) var students: [Student] = []

    init(title: String) { self.title = title }
}

@Model
final class Student {
    var name: String
    var courses: [Course]?

    init(name: String) { self.name = name }
}
