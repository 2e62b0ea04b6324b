import Firn
import FirnModel
import Foundation
import StoreSupport
import Testing

/// Rules of deletion and validation that one change of the code could drop unseen.
@Suite("Conformance (m): rules of deletion and validation")
struct DeletionEdgeConformanceTests {
    /// [AD] https://developer.apple.com/documentation/coredata/nsrelationshipdescription/deleterule
    @Test("m.42 the default delete rule is to nullify")
    func defaultRule() throws {
        #expect(NSRelationshipDescription().deleteRule == .nullifyDeleteRule)
        let (team, player) = (ModelSketch.entity("Team", []), ModelSketch.entity("Player", []))
        let (players, owner) = (NSRelationshipDescription(), NSRelationshipDescription())
        (players.name, players.destinationEntity) = ("players", player)
        (owner.name, owner.destinationEntity, owner.maxCount) = ("team", team, 1)
        (players.inverseRelationship, owner.inverseRelationship) = (owner, players)
        team.properties.append(players)
        player.properties.append(owner)
        let context = try Library.inMemory(ModelSketch.model(team, player)).context()
        let reds = context.make("Team")
        let ada = context.make("Player", ["team": reds])
        try context.save()
        context.delete(reds)
        context.processPendingChanges()
        #expect(ada.value(forKey: "team") == nil)
        try context.save()
    }

    @Test("m.42 a cascade goes on through what it deletes, however many relationships that leads over")
    func cascade() throws {
        let entities = (0..<5).map { ModelSketch.entity("Level\($0)", [ModelSketch.attribute("name")]) }
        for level in 0..<4 {
            ModelSketch.relate(entities[level], "below", toMany: entities[level + 1], "above").deleteRule =
                .cascadeDeleteRule
        }
        let model = NSManagedObjectModel()
        model.entities = entities
        let context = try Library.inMemory(model).context()
        var rows = [[context.make("Level0")]]
        for level in 1..<5 {
            rows.append(rows[level - 1].flatMap { above in
                (0..<2).map { _ in context.make("Level\(level)", ["above": above]) }
            })
        }
        try context.save()
        context.refreshAllObjects()
        context.delete(rows[0][0])
        context.processPendingChanges()
        let areDeleted = rows.joined().allSatisfy { $0.isDeleted }
        #expect(areDeleted)
        try context.save()
        for level in 0..<5 { #expect(try context.all("Level\(level)").isEmpty) }
    }

    /// A team that needs one player; how a player's deletion ends its membership.
    enum Membership: CaseIterable {
        case noAction, noInverse
    }

    @Test("m.42 a minimum of one is not met by a member that is deleted", arguments: Membership.allCases, [true, false])
    func minimum(_ membership: Membership, isNewMember: Bool) throws {
        let team = ModelSketch.entity("Team", [ModelSketch.attribute("name")])
        let player = ModelSketch.entity("Player", [ModelSketch.attribute("name")])
        let players = ModelSketch.relate(team, "players", toMany: player, "team")
        (players.minCount, players.isOptional) = (1, false)
        if membership == .noAction {
            players.inverseRelationship?.deleteRule = .noActionDeleteRule
        } else {
            players.inverseRelationship = nil
            player.properties.removeAll { $0.name == "team" }
        }
        let context = try Library.inMemory(ModelSketch.model(team, player)).context()
        let ada = context.make("Player", ["name": "Ada"])
        if !isNewMember { try context.save() }
        let reds = context.make("Team", ["name": "Reds"])
        reds.setValue(NSSet(object: ada), forKey: "players")
        context.processPendingChanges()
        context.delete(ada)
        let error = #expect(throws: NSError.self) { try context.save() }
        let details = error?.userInfo[NSDetailedErrorsKey] as? [NSError]
        let codes = (details ?? [error].compactMap { $0 }).map(\.code)
        #expect(codes.contains(NSValidationRelationshipLacksMinimumCountError), "\(codes)")
    }

    @Test("m.42 a constraint of two properties holds when only the second one changes")
    func secondProperty() throws {
        let seat = ModelSketch.entity("Seat", [ModelSketch.attribute("row"), ModelSketch.attribute("place")])
        seat.uniquenessConstraints = [["row", "place"]]
        let coordinator = try Library.inMemory(ModelSketch.model(seat))
        let context = coordinator.context()
        _ = context.make("Seat", ["row": "A", "place": "1"])
        let second = context.make("Seat", ["row": "A", "place": "2"])
        try context.save()
        second.setValue("1", forKey: "place")
        let error = #expect(throws: NSError.self) { try context.save() }
        #expect(error?.code == NSManagedObjectConstraintMergeError)
        context.rollback()
        second.setValue("B", forKey: "row")
        second.setValue("1", forKey: "place")
        try context.save()
        second.setValue("A", forKey: "row")
        #expect(throws: NSError.self) { try context.save() }
    }

    /// [MIO] Only a refresh without merging drops them.
    @Test("m.42 a transient value that was set by its primitive setter outlives a refresh that merges")
    func primitiveTransient() throws {
        let coordinator = try Library.inMemory()
        let (context, other) = (coordinator.context(), coordinator.context())
        let ada = context.make("Author", ["name": "Ada"])
        try context.save()
        ada.setPrimitiveValue("Countess", forKey: "nickname")
        let theirs = try #require(try other.all("Author").first)
        theirs.setValue("Eve", forKey: "name")
        try other.save()
        context.refresh(ada, mergeChanges: true)
        #expect(ada.text("name") == "Eve")
        #expect(ada.primitiveValue(forKey: "nickname") as? String == "Countess")
        context.refresh(ada, mergeChanges: false)
        #expect(ada.value(forKey: "nickname") == nil)
    }
}
