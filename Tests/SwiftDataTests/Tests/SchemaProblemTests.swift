import Foundation
import SwiftData
import Testing

// Models that no container can have, each wrong in one way.

private enum First {
    @Model final class Twin { init() {} }
}

private enum Second {
    @Model final class Twin { init() {} }
}

@Model private final class Claimed {
    var left: Claimant?
    init() {}
}

@Model private final class Claimant {
    @Relationship(inverse: \Claimed.left) var one: [Claimed] = []
    @Relationship(inverse: \Claimed.left) var two: [Claimed] = []
    init() {}
}

@Model private final class Astray {
    @Relationship(inverse: \Claimant.one) var other: Target?
    init() {}
}

@Model private final class Target {
    var elsewhere: Claimed?
    init() {}
}

@Model private final class Misled {
    @Relationship(inverse: \Target.elsewhere) var target: Target?
    init() {}
}

@Model private final class Narrow {
    @Relationship(minimumModelCount: 3, maximumModelCount: 2) var others: [Target] = []
    init() {}
}

@Model private final class Crowd {
    #Unique<Crowd>([\.others])
    var others: [Target] = []
    init() {}
}

@Model private final class Lent {
    #Unique<Lent>([\.other?.name])
    var name = ""
    var other: Lent?
    init() {}
}

@Model private class Beast {
    var keeper: Keeper?
    var herd: Herd?
    init() {}
}

@Model private final class Hound: Beast {
    override init() { super.init() }
}

@Model private final class Keeper {
    @Relationship(inverse: \Hound.keeper) var hounds: [Hound] = []
    init() {}
}

@Model private class Herd {
    var hounds: [Hound] = []
    init() {}
}

@Suite("A schema that is wrong is refused by its container, with what is wrong")
struct SchemaProblemTests {
    private func refusal(_ types: [any PersistentModel.Type]) throws -> String {
        let schema = Schema(types)
        do {
            let memory = ModelConfiguration(schema: schema, isStoredInMemoryOnly: true)
            _ = try ModelContainer(for: schema, configurations: memory)
            return ""
        } catch let error as SwiftDataError where error == .loadIssueModelContainer {
            return error.message
        }
    }

    @Test("two models of one name")
    func names() throws {
        let message = try refusal([First.Twin.self, Second.Twin.self])
        #expect(message.contains("two models are named Twin"))
        #expect(message.contains("First.Twin"))
        #expect(message.contains("Second.Twin"))
    }

    @Test("one inverse of two relationships")
    func inverses() throws {
        let message = try refusal([Claimant.self])
        #expect(message.contains("Claimed.left is the inverse of one and of Claimant.two"))
    }

    @Test("an inverse of another model, and one that leads elsewhere")
    func inversesElsewhere() throws {
        #expect(try refusal([Astray.self, Claimed.self]).contains("which is no saved property of Target"))
        #expect(try refusal([Misled.self]).contains("Target.elsewhere, which leads to Claimed"))
    }

    @Test("an inverse that models of the superclass have, too, is refused if it is named, and never inferred")
    func inverseOfSuperclass() throws {
        #expect(try refusal([Keeper.self]).contains("Hound.keeper, which models of the superclass have, too"))
        let schema = Schema([Herd.self])
        #expect(schema.entitiesByName["Herd"]?.relationshipsByName["hounds"]?.inverseName == nil)
        for name in ["Beast", "Hound"] {
            #expect(schema.entitiesByName[name]?.relationshipsByName["herd"]?.inverseName == nil)
        }
    }

    @Test("more models at least than at most")
    func counts() throws {
        #expect(try refusal([Narrow.self]).contains("Narrow.others has at least 3 models and at most 2"))
    }

    @Test("a constraint on a relationship to many, and on a related model's property")
    func constraints() throws {
        #expect(try refusal([Crowd.self]).contains("Crowd.others is unique and leads to many models"))
        #expect(try refusal([Lent.self]).contains("Lent has unique values of"))
    }

    @Test("entities without classes: a destination that is not there, two of one name")
    func entities() throws {
        let relationship = Schema.Relationship()
        (relationship.name, relationship.destination) = ("other", "Nobody")
        let memory = ModelConfiguration(isStoredInMemoryOnly: true)
        let lost = Schema(Schema.Entity("A", properties: relationship))
        #expect(throws: SwiftDataError.loadIssueModelContainer) {
            try ModelContainer(for: lost, configurations: memory)
        }
        let twice = Schema(Schema.Entity("A"), Schema.Entity("A"))
        #expect(throws: SwiftDataError.loadIssueModelContainer) {
            try ModelContainer(for: twice, configurations: memory)
        }
    }
}
