/// Collects which entities are below which, before any `subentities` is set.
///
/// Setting `subentities` once for each parent takes O(subentities); adding them one by one would look at all of them
/// each time.
struct EntityHierarchy {
    private var parents: [ObjectIdentifier: NSEntityDescription] = [:]
    /// Toward the root of an entity's tree; shortened whenever it is followed.
    private var above: [ObjectIdentifier: ObjectIdentifier] = [:]
    private var order: [NSEntityDescription] = []
    private var children: [ObjectIdentifier: [NSEntityDescription]] = [:]

    /// False, and without effect, if the parent is below the child or has a parent already.
    mutating func add(_ child: NSEntityDescription, below parent: NSEntityDescription) -> Bool {
        let (low, high) = (ObjectIdentifier(child), ObjectIdentifier(parent))
        guard parents[low] == nil, root(of: high) != low else { return false }
        parents[low] = parent
        above[low] = high
        if children[high] == nil { order.append(parent) }
        children[high, default: []].append(child)
        return true
    }

    /// Sets the collected subentities.
    func connect() {
        for parent in order { parent.subentities += children[ObjectIdentifier(parent)] ?? [] }
    }

    /// A child that was not added yet is the root of its own tree.
    private mutating func root(of entity: ObjectIdentifier) -> ObjectIdentifier {
        var root = entity
        while let next = above[root] { root = next }
        var current = entity
        while let next = above[current], next != root {
            above[current] = root
            current = next
        }
        return root
    }
}
