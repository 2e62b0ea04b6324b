import Firn
import FirnModel
import Foundation

extension NSManagedObject {
    var number: Int { value(forKey: "number") as? Int ?? -1 }

    /// Gives an attribute a plain value: a composite of its digits, or data that stand for it.
    func set(_ value: Int, _ attribute: Int) {
        let digits = ["high": value / 7, "low": value % 7]
        setValue(attribute == 0 ? digits : Kind.blobs[value], forKey: Kind.attributes[attribute])
    }

    fileprivate func plainValue(_ attribute: Int) -> Int {
        switch value(forKey: Kind.attributes[attribute]) {
        case let digits as [String: Int]: (digits["high"] ?? -100) * 7 + (digits["low"] ?? -100)
        case let data as Data: Kind.valuesOfBlobs[data] ?? -2
        default: -1
        }
    }

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
    /// What these objects hold. What leads to none of them is left out where relationships may do so. O(objects and
    /// their relationships).
    init(reading objects: some Collection<NSManagedObject>) {
        self.init()
        let known = Set(objects.map(\.number))
        for object in objects {
            guard let name = object.entity.name, let kind = Kind(rawValue: name) else { continue }
            let number = object.number
            insert(number, kind, Kind.attributes.indices.map(object.plainValue))
            for end in kind.ends {
                var list = object.partnerNumbers(end)
                if end.opposite.isLeftDangling { list.removeAll { !known.contains($0) } }
                if !list.isEmpty { put(list, end, number) }
                guard end.opposite.shape.isHidden else { continue }
                for other in list { put(partners(end.opposite, other) + [number], end.opposite, other) }
            }
        }
    }

    /// What a context fetches.
    init(fetching context: NSManagedObjectContext) throws {
        self.init(
            reading: try Kind.allCases.filter { $0 == $0.root }.flatMap { try context.all($0.rawValue) })
    }
}
