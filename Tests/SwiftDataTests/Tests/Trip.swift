import Foundation
import SwiftData

/// What most tests use.
@Model
final class Trip {
    @Attribute(.unique) var name: String
    var days: Int = 1
    var start: Date?
    var kind: Kind = Kind.leisure
    var state: State = State.planned
    var place = Place(city: "", country: "")
    var tags: [String] = []
    var link: URL?
    var key = UUID()
    var price: Decimal = 0
    @Attribute(.externalStorage) var image: Data?
    @Relationship(deleteRule: .cascade, inverse: \Stop.trip) var stops: [Stop] = []
    var guide: Guide?
    @Transient var isOpen = false

    #Index<Trip>([\.days], [\.kind, \.start])

    init(name: String, days: Int = 1) {
        self.name = name
        self.days = days
    }
}

enum Kind: String, Codable, CaseIterable {
    case leisure, business
}

enum State: Codable, Equatable {
    case planned
    case booked(reference: String)
}

struct Place: Codable, Equatable {
    var city: String
    var country: String
    var zip: Int?
}

@Model
final class Stop {
    var title: String
    var trip: Trip?

    init(title: String, trip: Trip? = nil) {
        self.title = title
        self.trip = trip
    }
}

@Model
final class Guide {
    var name: String
    var trips: [Trip]?

    init(name: String) { self.name = name }
}
