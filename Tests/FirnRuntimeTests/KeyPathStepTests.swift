import FirnRuntime
import Testing

@Suite("Steps of key paths")
struct KeyPathStepTests {
    private class Node {
        var next: Node { self }
        var readOnly: Int { 1 }
        var settable: Int { get { 1 } set {} }
        subscript(index: Int) -> Int { index }
    }

    private final class Leaf: Node {
        let stored = 1
        var own: Int { 2 }
    }

    @Test("a key path over one computed property has its identity")
    func identity() {
        for keyPath in [\Node.readOnly, \Node.settable, \Leaf.readOnly, \Leaf.own] as [AnyKeyPath] {
            let identity = KeyPathStep.identity(ofOnlyStep: keyPath)
            #expect(identity != nil)
            #expect(identity == KeyPathStep.all(of: keyPath)?.first?.identity)
        }
    }

    @Test("each property has an identity of its own, whichever key path leads to it")
    func distinct() {
        let identities = [\Leaf.readOnly, \Leaf.settable, \Leaf.own].map { KeyPathStep.identity(ofOnlyStep: $0) }
        #expect(Set(identities).count == 3)
        #expect(KeyPathStep.identity(ofOnlyStep: \Node.readOnly) == identities[0])
    }

    @Test("other key paths have none")
    func others() {
        for keyPath in [\Leaf.stored, \Node.next.readOnly, \Node.[3], \Leaf.self] as [AnyKeyPath] {
            #expect(KeyPathStep.identity(ofOnlyStep: keyPath) == nil)
        }
    }
}
