import CoreData

/// Deleting an object that takes many with it.
extension Workload {
    static var deleteCascade: Workload {
        Workload(
            name: "delete-cascade", suite: .items,
            summary: "delete 100 owners with 1,000 parts each, one transaction, synced",
            goals: [.time(atMost: 3, of: "raw")],
            sides: [
                Side("raw") { trial in
                    let owners = trial.count(100)
                    let database = try RawDatabase(trial.path("raw.sqlite"))
                    try database.execute("PRAGMA foreign_keys = ON")
                    try database.execute(
                        """
                        CREATE TABLE owner (id INTEGER PRIMARY KEY, name TEXT);
                        CREATE TABLE part (id INTEGER PRIMARY KEY, number INTEGER,
                            owner INTEGER REFERENCES owner (id) ON DELETE CASCADE);
                        CREATE INDEX part_owner ON part (owner);
                        """)
                    try database.transaction {
                        let owner = try database.prepare("INSERT INTO owner (id, name) VALUES (?, 'owner')")
                        let part = try database.prepare("INSERT INTO part (number, owner) VALUES (?, ?)")
                        for number in 1...owners {
                            owner.bind(Int64(number), 1)
                            try owner.run()
                            for row in 0..<1000 {
                                part.bind(Int64(row), 1)
                                part.bind(Int64(number), 2)
                                try part.run()
                            }
                        }
                    }
                    try trial.measure {
                        let delete = try database.prepare("DELETE FROM owner WHERE id = ?")
                        try database.transaction {
                            for number in 1...owners {
                                delete.bind(Int64(number), 1)
                                try delete.run()
                            }
                        }
                    }
                    let count = try database.prepare("SELECT count(*) FROM part")
                    _ = try count.step()
                    trial.digest.add(count.integer(0))
                },
                Side("firn") { trial in
                    let container = try FirnStores.container(trial, Owner.model())
                    let context = container.newBackgroundContext()
                    try context.performAndWait {
                        for _ in 0..<trial.count(100) {
                            let owner = Owner(context: context)
                            owner.name = "owner"
                            for row in 0..<1000 {
                                let part = Part(context: context)
                                part.number = Int64(row)
                                part.owner = owner
                            }
                        }
                        try context.save()
                        context.reset()
                        // Waits until the tables have the save.
                        _ = try context.count(for: NSFetchRequest<Owner>(entityName: "Owner"))
                        try trial.measure {
                            let owners = try context.fetch(NSFetchRequest<Owner>(entityName: "Owner"))
                            for owner in owners { context.delete(owner) }
                            try context.save()
                            // Waits until the tables have the save.
                            _ = try context.count(for: NSFetchRequest<Owner>(entityName: "Owner"))
                        }
                        let left = try context.count(for: NSFetchRequest<Part>(entityName: "Part"))
                        trial.digest.add(Int64(left))
                    }
                },
            ])
    }
}

final class Owner: NSManagedObject {
    @NSManaged var name: String

    static func model() -> NSManagedObjectModel {
        let owner = NSEntityDescription()
        owner.name = "Owner"
        owner.managedObjectClassName = NSStringFromClass(Owner.self)
        let part = NSEntityDescription()
        part.name = "Part"
        part.managedObjectClassName = NSStringFromClass(Part.self)
        let parts = NSRelationshipDescription()
        parts.name = "parts"
        parts.destinationEntity = part
        parts.deleteRule = .cascadeDeleteRule
        let inverse = NSRelationshipDescription()
        inverse.name = "owner"
        inverse.destinationEntity = owner
        inverse.maxCount = 1
        inverse.deleteRule = .nullifyDeleteRule
        parts.inverseRelationship = inverse
        inverse.inverseRelationship = parts
        owner.properties = [attribute("name", .stringAttributeType), parts]
        part.properties = [attribute("number", .integer64AttributeType), inverse]
        let model = NSManagedObjectModel()
        model.entities = [owner, part]
        return model
    }
}

final class Part: NSManagedObject {
    @NSManaged var number: Int64
    @NSManaged var owner: Owner?
}

func attribute(_ name: String, _ type: NSAttributeType) -> NSAttributeDescription {
    let attribute = NSAttributeDescription()
    attribute.name = name
    attribute.attributeType = type
    return attribute
}
