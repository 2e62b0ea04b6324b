import Firn
import FirnModel
import Foundation

extension NSManagedObject {
    var number: Int { value(forKey: "number") as? Int ?? -1 }

    /// The numbers at the other side of a relationship.
    fileprivate func partnerNumbers(_ end: End) -> [Int] {
        switch value(forKey: end.shape.name) {
        case let object as NSManagedObject: [object.number]
        case let set as NSOrderedSet: set.compactMap { ($0 as? NSManagedObject)?.number }
        case let set as NSSet: set.compactMap { ($0 as? NSManagedObject)?.number }
        default: []
        }
    }
}

extension PlainGraph {
    /// What these objects hold. O(objects and their relationships).
    init(reading objects: some Sequence<NSManagedObject>) {
        self.init()
        for object in objects {
            guard let name = object.entity.name, let kind = Kind(rawValue: name) else { continue }
            let number = object.number
            insert(number, kind, Kind.attributes.map { object.value(forKey: $0) as? Int ?? -1 })
            for end in kind.ends {
                let list = object.partnerNumbers(end)
                if !list.isEmpty { put(list, end, number) }
            }
        }
    }

    /// What a context fetches.
    init(fetching context: NSManagedObjectContext) throws {
        self.init(
            reading: try Kind.allCases.filter { $0 == $0.root }.flatMap { try context.all($0.rawValue) })
    }
}
