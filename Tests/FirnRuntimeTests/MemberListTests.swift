import FirnRuntime
import Testing

@Suite("Lists of members")
struct MemberListTests {
    /// A member that counts how often its address is asked for, which is the work of a list.
    private struct Member: MemberReference {
        final class Object {}
        final class Work { var count = 0 }

        let name: Int
        let object = Object()
        let work: Work

        var address: ObjectIdentifier {
            work.count += 1
            return ObjectIdentifier(object)
        }
    }

    private enum Step: CaseIterable {
        case appendA, appendB, appendC, removeA, removeB, removeC, keepTwo
    }

    /// Every sequence of a number of steps.
    private static func programs(_ length: Int) -> [[Step]] {
        if length == 0 { return [[]] }
        return programs(length - 1).flatMap { program in Step.allCases.map { program + [$0] } }
    }

    private static func members(_ count: Int) -> [Member] {
        let work = Member.Work()
        return (0..<count).map { Member(name: $0, work: work) }
    }

    @Test("A list has the members of a plain array after each of four steps", arguments: [0, 6, 12])
    func model(fillers: Int) {
        let members = Self.members(fillers + 3)
        let others = Array(members.dropFirst(3))
        for program in Self.programs(4) {
            var list = MemberList(others)
            var plain = others.map(\.name)
            for step in program {
                switch step {
                case .appendA, .appendB, .appendC:
                    let member = members[[.appendA: 0, .appendB: 1, .appendC: 2][step] ?? 0]
                    let isNew = !plain.contains(member.name)
                    if isNew { plain.append(member.name) }
                    #expect(list.append(member) == isNew, "\(program)")
                case .removeA, .removeB, .removeC:
                    let member = members[[.removeA: 0, .removeB: 1, .removeC: 2][step] ?? 0]
                    let place = plain.firstIndex(of: member.name)
                    if let place { plain.remove(at: place) }
                    #expect(list.remove(member) == (place != nil), "\(program)")
                case .keepTwo:
                    plain.removeLast(max(0, plain.count - 2))
                    list.removeAll(after: 2)
                }
            }
            let isSame =
                list.map(\.name) == plain && list.count == plain.count && list.first?.name == plain.first
                && members.allSatisfy { list.contains($0) == plain.contains($0.name) }
            #expect(isSame, "\(program)")
        }
    }

    @Test("Places rise along a list with removed members")
    func places() {
        let members = Self.members(100)
        var list = MemberList(members)
        for index in stride(from: 0, to: 90, by: 3) { list.remove(members[index]) }
        let places = list.compactMap { list.place(of: $0) }
        #expect(places.count == 70 && zip(places, places.dropFirst()).allSatisfy { $0 < $1 })
    }

    @Test("A copy stays as it was", arguments: [3, 30])
    func copy(count: Int) {
        let members = Self.members(count + 1)
        var list = MemberList(members.dropLast())
        let copy = list
        list.remove(members[0])
        list.append(members[count])
        #expect(copy.map(\.name) == Array(0..<count) && list.map(\.name) == Array(1...count))
    }

    @Test("Lists are equal by order, whatever was removed from them")
    func equality() {
        let members = Self.members(20)
        var list = MemberList(members)
        for member in members.prefix(5) { list.remove(member) }
        #expect(list == MemberList(members.dropFirst(5)))
        #expect(list != MemberList(members.dropFirst(5).reversed()))
    }

    @Test("The work of a step is the same in long lists", arguments: ["append", "remove first", "remove last", "queue"])
    func work(kind: String) {
        func work(_ count: Int) -> Double {
            let members = Self.members(count)
            var list = MemberList<Member>()
            for member in members { list.append(member) }
            switch kind {
            case "remove first": for member in members { list.remove(member) }
            case "remove last": for member in members.reversed() { list.remove(member) }
            case "queue":
                for member in members {
                    list.remove(member)
                    list.append(member)
                }
            default: break
            }
            return Double(members[0].work.count) / Double(count)
        }
        #expect(work(8_000) < 1.5 * work(1_000))
    }
}
