import CoreData
import os

struct GuestKey<Result: NSFetchRequestResult>: Hashable {
    let request: NSFetchRequest<Result>
}

final class GuestCenter: NotificationCenter {
    private static let log = os.Logger(subsystem: "app", category: "guests")
    private let name: String
    private var counts: [GuestKey<NSFetchRequestResult>: Int] = [:]

    init(_ name: String) {
        self.name = name
        super.init()
        Self.log.info("\(name, privacy: .public)")
        counts[GuestKey(request: NSFetchRequest(entityName: name))] = 1
    }

    var keyed: [String: Int] {
        Dictionary(uniqueKeysWithValues: counts.map { ($0.key.request.entityName ?? "", $0.value) })
    }
}
