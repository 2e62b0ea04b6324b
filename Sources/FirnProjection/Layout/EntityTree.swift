internal import FirnLog

/// The tree of all entities of a model, computed once.
///
/// Complexity: O(entities + slots + members of all subtrees). A cycle of parents, which only a damaged log has, is
/// broken.
struct EntityTree {
    private let entities: [LogEntity]
    private let indexes: [EntityNumber: Int]
    private var parents: [Int?]
    private var depths: [Int]
    private var roots: [Int]
    private var subtrees: [[EntityNumber]]
    /// By entity and slot: the highest entity that has the slot.
    private var declarers: [[EntityNumber]]

    /// `entities` ascending by number.
    init(_ entities: [LogEntity]) {
        self.entities = entities
        let indexes = Dictionary(
            entities.indices.map { (entities[$0].number, $0) }, uniquingKeysWith: { first, _ in first })
        self.indexes = indexes
        parents = entities.map { $0.parent.flatMap { indexes[$0] } }
        depths = Array(repeating: -1, count: entities.count)
        roots = Array(entities.indices)
        subtrees = Array(repeating: [], count: entities.count)
        declarers = Array(repeating: [], count: entities.count)
        var isOnPath = Array(repeating: false, count: entities.count)
        for start in entities.indices where depths[start] < 0 {
            var path = [start]
            isOnPath[start] = true
            while let parent = parents[path[path.count - 1]], depths[parent] < 0, !isOnPath[parent] {
                path.append(parent)
                isOnPath[parent] = true
            }
            for index in path.reversed() { place(index) }
        }
        for index in entities.indices {
            var current: Int? = index
            while let above = current {
                subtrees[above].append(entities[index].number)
                current = parents[above]
            }
        }
    }

    /// The parent is in its place already, or there is none.
    private mutating func place(_ index: Int) {
        let count = entities[index].properties.count
        declarers[index] = Array(repeating: entities[index].number, count: count)
        guard let parent = parents[index], depths[parent] >= 0 else {
            parents[index] = nil
            depths[index] = 0
            return
        }
        depths[index] = depths[parent] + 1
        roots[index] = roots[parent]
        for slot in 0..<min(count, declarers[parent].count) { declarers[index][slot] = declarers[parent][slot] }
    }

    func root(of entity: EntityNumber) -> EntityNumber {
        indexes[entity].map { entities[roots[$0]].number } ?? entity
    }

    func depth(of entity: EntityNumber) -> Int { indexes[entity].map { depths[$0] } ?? 0 }

    /// The entity and all below it, ascending; empty for an entity that the model does not have.
    func subtree(of entity: EntityNumber) -> [EntityNumber] { indexes[entity].map { subtrees[$0] } ?? [] }

    func declarer(of slot: Int, in entity: EntityNumber) -> EntityNumber {
        guard let index = indexes[entity], slot < declarers[index].count else { return entity }
        return declarers[index][slot]
    }
}
