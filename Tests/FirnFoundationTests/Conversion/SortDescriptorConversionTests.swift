import FirnFoundation
import class FirnFoundation.NSSortDescriptor
import Foundation
import Testing

/// Foundation's `SortDescriptor` becomes an `NSSortDescriptor` that orders alike.
@Suite("A SortDescriptor converts to an NSSortDescriptor")
struct SortDescriptorConversionTests {
    private final class Person: @unchecked Sendable {
        let name: String
        let age: Int
        var nickname: String?
        var initial: String { String(name.prefix(1)) }

        init(_ name: String, _ age: Int) {
            self.name = name
            self.age = age
        }
    }

    private let younger = Person("b", 1)
    private let older = Person("a", 2)

    @Test("a stored property gives the key", arguments: [SortOrder.forward, .reverse])
    func key(order: SortOrder) {
        let descriptor = NSSortDescriptor(SortDescriptor(\Person.age, order: order))
        #expect(descriptor.key == "age")
        #expect(descriptor.ascending == (order == .forward))
    }

    @Test("texts are compared as a file browser lists names, unless the comparator is lexical")
    func texts() {
        let selectors = [
            SortDescriptor(\Person.name), SortDescriptor(\Person.nickname), SortDescriptor(\Person.age),
            SortDescriptor(\Person.name, comparator: .lexical), SortDescriptor(\Person.nickname, comparator: .lexical),
        ].map { NSSortDescriptor($0).selector?.description }
        #expect(
            selectors == [
                "localizedStandardCompare:", "localizedStandardCompare:", "compare:", "compare:", "compare:",
            ])
    }

    @Test("objects order by the value", arguments: [SortOrder.forward, .reverse])
    func order(order: SortOrder) {
        let descriptor = NSSortDescriptor(SortDescriptor(\Person.age, order: order))
        #expect(
            descriptor.compare(younger, to: older)
                == (order == .forward ? .orderedAscending : .orderedDescending))
    }

    @Test(
        "a computed property has no key and orders all the same",
        arguments: [SortOrder.forward, .reverse])
    func computed(order: SortOrder) {
        let descriptor = NSSortDescriptor(SortDescriptor(\Person.initial, order: order))
        #expect(descriptor.key == nil)
        #expect(
            descriptor.compare(older, to: younger)
                == (order == .forward ? .orderedAscending : .orderedDescending))
    }
}
