import Foundation
import SwiftData
import Testing

/// Predicates and expressions within others.
@Suite("Composed predicates")
struct ComposedPredicateTests {
    let zoo: Zoo

    init() throws { zoo = try Zoo.sample() }

    @Test("a predicate is evaluated within another one")
    func predicates() {
        let many = #Predicate<Creature> { $0.count > 3 }
        let inner = #Predicate<Creature> { $0.isWild || many.evaluate($0) }
        #expect(zoo.names(#Predicate { many.evaluate($0) && $0.name != "Cat" }) == ["Tit"])
        #expect(zoo.names(#Predicate { !inner.evaluate($0) }) == ["Tom", "Kit", "Eel"])
        #expect(zoo.names(#Predicate<Creature> { one in one.children.contains { !many.evaluate($0) } }) == ["Cat"])
        #expect(zoo.names(#Predicate { $0.parent.flatMap { many.evaluate($0) } == true }) == ["Tom", "Kit"])
    }

    @Test("predicates are added up in a loop")
    func loop() {
        let parts = [#Predicate<Creature> { $0.count > 3 }, #Predicate { $0.name != "Cat" }]
        let all = parts.reduce(#Predicate { _ in true }) { sum, part in
            #Predicate { sum.evaluate($0) && part.evaluate($0) }
        }
        #expect(zoo.names(all) == ["Tit"])
    }

    @Test("an expression is evaluated within a predicate, and within another expression")
    func expressions() throws {
        let wild = #Expression<[Creature], Int> { $0.filter { !$0.isWild }.count }
        let twice = #Expression<Creature, Int> { $0.count * 2 }
        let four = #Expression<Creature, Int> { twice.evaluate($0) * 2 }
        #expect(zoo.names(#Predicate { wild.evaluate($0.children) == 2 }) == ["Cat"])
        #expect(zoo.names(#Predicate { twice.evaluate($0) == 14 }) == ["Cat"])
        #expect(zoo.names(#Predicate { four.evaluate($0) == 28 && !($0.name == "Tit") }) == ["Cat"])
    }

    @Test("in memory, they are evaluated as well")
    func memory() throws {
        let long = #Predicate<String> { $0.count > 3 }
        let length = #Expression<String, Int> { $0.count }
        let both = #Predicate<String> { long.evaluate($0) && length.evaluate($0) < 6 }
        #expect(try ["one", "three", "eleven"].filter(both) == ["three"])
    }

    @Test("a predicate of two values is Foundation's")
    func two() throws {
        let same = #Predicate<String, Int> { $0.count == $1 }
        #expect(try same.evaluate("one", 3))
    }
}
