import Firn
import FirnModel
import Foundation
import StoreSupport
import TestSupport
import Testing

/// To-many relationships that are transient: a context has their members, no store does.
@Suite("Conformance (m): transient to-many relationships")
struct TransientRelationshipConformanceTests {
    /// How the other side knows of a transient relationship.
    enum Inverse: CaseIterable {
        case none, toOne, toMany
    }

    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// Teams with transient players, and a stored name.
    private static func model(_ inverse: Inverse, isOrdered: Bool) -> NSManagedObjectModel {
        let team = ModelSketch.entity("Team", [ModelSketch.attribute("name")])
        let player = ModelSketch.entity("Player", [ModelSketch.attribute("name")])
        let players = ModelSketch.relate(team, "players", toMany: player, "team")
        players.isTransient = true
        players.isOrdered = isOrdered
        switch inverse {
        case .none:
            players.inverseRelationship = nil
            player.properties.removeAll { $0.name == "team" }
        case .toOne: players.inverseRelationship?.isTransient = true
        case .toMany:
            players.inverseRelationship?.isTransient = true
            players.inverseRelationship?.maxCount = 0
        }
        return ModelSketch.model(team, player)
    }

    private func coordinator(_ model: NSManagedObjectModel) throws -> NSPersistentStoreCoordinator {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        _ = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: directory.file("Teams.sqlite"), options: nil)
        return coordinator
    }

    private static func members(_ object: NSManagedObject, _ key: String = "players") -> Set<NSManagedObject>? {
        let value = object.value(forKey: key)
        if let ordered = value as? NSOrderedSet { return ordered.set as? Set<NSManagedObject> }
        return value as? Set<NSManagedObject>
    }

    private static func set(_ members: [NSManagedObject], of object: NSManagedObject) {
        let isOrdered = object.entity.relationshipsByName["players"]?.isOrdered == true
        object.setValue(isOrdered ? NSOrderedSet(array: members) : NSSet(array: members), forKey: "players")
    }

    /// [AD] Transient properties are tracked, and not saved.
    @Test(
        "m.15a a save with members of a transient to-many succeeds, and keeps them in memory",
        arguments: Inverse.allCases, [false, true])
    func saving(_ inverse: Inverse, isOrdered: Bool) throws {
        let context = try coordinator(Self.model(inverse, isOrdered: isOrdered)).context()
        let team = context.make("Team", ["name": "Reds"])
        let players = ["Ada", "Bob"].map { context.make("Player", ["name": $0]) }
        Self.set(players, of: team)
        try context.save()
        #expect(Self.members(team) == Set(players))
        #expect(!context.hasChanges)
        context.refresh(team, mergeChanges: true)
        #expect(Self.members(team) == Set(players))
    }

    @Test(
        "m.15a a transient to-many of a fetched object is empty, takes members, and is never written",
        arguments: Inverse.allCases, [false, true])
    func stored(_ inverse: Inverse, isOrdered: Bool) throws {
        let coordinator = try coordinator(Self.model(inverse, isOrdered: isOrdered))
        let maker = coordinator.context()
        Self.set([maker.make("Player", ["name": "Ada"])], of: maker.make("Team", ["name": "Reds"]))
        try maker.save()
        let context = coordinator.context()
        let team = try #require(try context.all("Team").first)
        #expect(Self.members(team) == [])
        let player = try #require(try context.all("Player").first)
        Self.set([player], of: team)
        #expect(Self.members(team) == [player])
        if inverse == .toOne { #expect(player.value(forKey: "team") as? NSManagedObject === team) }
        if inverse == .toMany { #expect(Self.members(player, "team") == [team]) }
        team.setValue("Blues", forKey: "name")
        try context.save()
        #expect(Self.members(team) == [player])
        let reader = coordinator.context()
        let read = try #require(try reader.all("Team").first)
        #expect(read.text("name") == "Blues")
        #expect(Self.members(read) == [])
    }

    @Test(
        "m.15a a stored object with a transient to-many is deleted, with members and without",
        arguments: Inverse.allCases, [false, true])
    func deleting(_ inverse: Inverse, isOrdered: Bool) throws {
        let context = try coordinator(Self.model(inverse, isOrdered: isOrdered)).context()
        let teams = ["Reds", "Blues"].map { context.make("Team", ["name": $0]) }
        let player = context.make("Player", ["name": "Ada"])
        try context.save()
        context.refreshAllObjects()
        Self.set([player], of: teams[0])
        teams.forEach(context.delete)
        try context.save()
        #expect(try context.all("Team").isEmpty)
        if inverse == .toOne { #expect(player.value(forKey: "team") == nil) }
        if inverse == .toMany { #expect(Self.members(player, "team") == []) }
    }

    @Test("m.15a members of a transient to-many are dropped by a refresh without merging, and by a rollback")
    func dropping() throws {
        let context = try coordinator(Self.model(.toMany, isOrdered: false)).context()
        let team = context.make("Team", ["name": "Reds"])
        let player = context.make("Player", ["name": "Ada"])
        try context.save()
        Self.set([player], of: team)
        context.rollback()
        #expect(Self.members(team) == [])
        Self.set([player], of: team)
        context.refresh(team, mergeChanges: false)
        #expect(Self.members(team) == [])
    }

    @Test("m.15a a merge leaves the members of a transient to-many", arguments: Inverse.allCases)
    func merging(_ inverse: Inverse) throws {
        let coordinator = try coordinator(Self.model(inverse, isOrdered: false))
        let (context, other) = (coordinator.context(), coordinator.context())
        let team = context.make("Team", ["name": "Reds"])
        let player = context.make("Player", ["name": "Ada"])
        Self.set([player], of: team)
        try context.save()
        let theirs = try #require(try other.all("Team").first)
        theirs.setValue("Blues", forKey: "name")
        context.mergeChanges(fromContextDidSave: try #require(try other.saveNotification()))
        #expect(team.text("name") == "Blues")
        #expect(Self.members(team) == [player])
    }

    @Test("m.15a a fetch whose predicate asks for a transient to-many fails with an error")
    func predicate() throws {
        let context = try coordinator(Self.model(.toMany, isOrdered: false)).context()
        for format in [
            "ANY players.name == 'Ada'", "players.@count > 0", "SUBQUERY(players, $x, $x.name == 'A').@count > 0",
        ]
        {
            let request = NSFetchRequest<NSManagedObject>(entityName: "Team")
            request.predicate = NSPredicate(format: format)
            #expect(throws: (any Error).self, "\(format)") { try context.fetch(request) }
        }
    }

    @Test("m.15a a stored to-many whose inverse is transient keeps its members", arguments: [true, false])
    func transientInverse(isToOne: Bool) throws {
        let team = ModelSketch.entity("Team", [ModelSketch.attribute("name")])
        let player = ModelSketch.entity("Player", [ModelSketch.attribute("name")])
        let players = ModelSketch.relate(team, "players", toMany: player, "anyTeam")
        players.inverseRelationship?.isTransient = true
        if !isToOne { players.inverseRelationship?.maxCount = 0 }
        let coordinator = try coordinator(ModelSketch.model(team, player))
        let context = coordinator.context()
        Self.set(["Ada", "Bob"].map { context.make("Player", ["name": $0]) }, of: context.make("Team"))
        try context.save()
        let reader = coordinator.context()
        let read = try #require(try reader.all("Team").first)
        #expect(Set((Self.members(read) ?? []).map { $0.text("name") }) == ["Ada", "Bob"])
    }
}
