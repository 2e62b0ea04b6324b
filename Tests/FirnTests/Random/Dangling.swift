/// What leads to objects that were deleted, and goes on leading there: relationships without an inverse, and those
/// whose inverse has the rule of no action. Shown is only what leads to an object.
extension PlainGraph {
    /// Without what leads to objects that `other` does not have, where it goes on leading there: that is no change.
    func withoutDangling(in other: PlainGraph) -> PlainGraph {
        var (result, ignored) = (self, Touched())
        forEachDangling(in: other) { result.unlink($0, $1, $2, &ignored) }
        return result
    }

    /// The references to objects that `other` does not have, where they stay.
    func dangling(in other: PlainGraph) -> Set<Touched.Reference> {
        var result: Set<Touched.Reference> = []
        forEachDangling(in: other) { end, _, partner in
            result.insert(Touched.Reference(end: end.opposite, number: partner))
        }
        return result
    }

    /// Calls `body` with an object that `other` does not have, the end that it is at, and who leads to it.
    private func forEachDangling(in other: PlainGraph, _ body: (End, Int, Int) -> Void) {
        for end in End.all where end.isLeftDangling {
            for (number, list) in partners[end] ?? [:] where other.kinds[number] == nil {
                for partner in list { body(end, number, partner) }
            }
        }
    }

    /// Whether something leads to an object that would go on leading there if it was deleted.
    func mayDangle(_ number: Int) -> Bool {
        (kinds[number]?.allEnds ?? []).contains { $0.isLeftDangling && !partners($0, number).isEmpty }
    }
}

extension PlainContext {
    /// Whether an undo, or else a redo, brings back an object whose deletion was saved, and to which others led that go
    /// on leading to the one that was deleted.
    func leavesDangling(redoing: Bool) -> Bool {
        guard let step = redoing ? redoable.last : undoable.last else { return false }
        let graph = redoing ? step.after : step.before
        return graph.kinds.keys.contains {
            view.kinds[$0] == nil && base.kinds[$0] == nil && graph.mayDangle($0)
        }
    }

    /// What was newly related, without an inverse, to an object that the store does not have: the save ends that.
    /// Says whether there was any.
    mutating func endDangling(in store: PlainGraph) -> Bool {
        var ignored = Touched()
        let before = view
        for end in End.all where end.shape.isHidden {
            for (number, list) in before.partners[end] ?? [:] where store.kinds[number] == nil {
                for other in list where isNew(end.opposite, other, number) {
                    view.unlink(end, number, other, &ignored)
                }
            }
        }
        return view != before
    }

    private func isNew(_ end: End, _ number: Int, _ other: Int) -> Bool {
        !base.partners(end, number).contains(other)
    }

    /// Whether a to-one relationship that was set here, and has no inverse, leads to an object that the source lacks.
    func leadsNowhere(in source: PlainGraph) -> Bool {
        touched.references.contains { fact in
            fact.end.opposite.shape.isHidden
                && view.partners(fact.end, fact.number).contains { base.kinds[$0] != nil && source.kinds[$0] == nil }
        }
    }

    /// Whether a relationship that was set here leads to an object and would go on to, were it deleted.
    func wouldDangle(_ number: Int) -> Bool {
        (view.kinds[number]?.allEnds ?? []).contains { end in
            end.isLeftDangling && view.partners(end, number) != base.partners(end, number)
        }
    }
}
