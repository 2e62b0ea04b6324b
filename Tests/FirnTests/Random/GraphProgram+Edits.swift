import Firn
import FirnModel
import Foundation

/// The edits of a program, in a context and in its plain graph alike.
extension GraphProgram {
    private static let sizeLimit = 24

    func edit(_ actor: Actor) throws {
        let view = actor.plain.view
        let number = pick(view.kinds.keys.sorted())
        let choice = Int.random(in: 0..<20, using: &generator)
        if number == nil || (choice < 5 && view.kinds.count < Self.sizeLimit) { return insert(actor) }
        guard let number, let kind = view.kinds[number] else { return }
        switch choice {
        case 0..<3, 17...: delete(number, actor)
        case 3..<7: try setValue(number, actor)
        default:
            guard let end = pick(kind.ends) else { return }
            try relate(number, end, actor)
        }
    }

    func insert(_ actor: Actor) {
        guard let kind = pick(Kind.allCases) else { return }
        lastNumber += 1
        let number = lastNumber
        let values = Kind.attributes.map { _ in Int.random(in: 0..<1000, using: &generator) }
        note("\(actor.name): insert \(kind.rawValue) \(number)")
        actor.event {
            let object = actor.context.make(kind.rawValue, ["number": number])
            for (index, value) in values.enumerated() { object.set(value, index) }
            actor.instances[number] = object
        }
        actor.plain.edit(isUndoable: actor.undoes) { view, touched in
            view.insert(number, kind, values)
            touched.numbers.insert(number)
        }
    }

    private func setValue(_ number: Int, _ actor: Actor) throws {
        let drawn = Int.random(in: 0..<1000, using: &generator)
        let attribute = Int.random(in: Kind.attributes.indices, using: &generator)
        // Sometimes what it was, which is no change.
        let value = drawn % 3 == 0 ? actor.plain.base.values[number]?[attribute] ?? drawn : drawn
        note("\(actor.name): \(Kind.attributes[attribute]) of \(number) to \(value)")
        let object = try object(number, actor)
        actor.event { object.set(value, attribute) }
        actor.plain.edit(isUndoable: actor.undoes) { view, touched in
            view.setValue(value, attribute, of: number)
            touched.numbers.insert(number)
            touched.attributes.insert(.init(number: number, attribute: attribute))
        }
    }

    private func relate(_ number: Int, _ end: End, _ actor: Actor) throws {
        let view = actor.plain.view
        let others = view.numbers(end.opposite.shape.kind).filter { $0 != number }
        var list = some(others, atMost: end.shape.isToMany ? 4 : 1)
        if list.isEmpty, !chance(3) { list = others.randomElement(using: &generator).map { [$0] } ?? [] }
        if end.shape.isToMany, chance(2) {
            // Keep most of what is there, so that lists grow, shrink and are put in another order.
            let kept = view.partners(end, number).filter { _ in !chance(4) }
            list = kept.filter { !list.contains($0) } + list
            if end.shape.isOrdered, chance(3) { list.shuffle(using: &generator) }
        }
        let losing = end.shape.isToMany
            ? view.partners(end, number).filter { !list.contains($0) } : list.isEmpty ? [number] : []
        if losing.contains(where: { wasReadDangling($0, end.shape.isToMany ? end.opposite : end, actor) }) { return }
        note("\(actor.name): \(end.shape.name) of \(number) to \(list)")
        let object = try object(number, actor)
        let objects = try list.map { try self.object($0, actor) }
        actor.event {
            switch (end.shape.isToMany, end.shape.isOrdered) {
            case (false, _): object.setValue(objects.first, forKey: end.shape.name)
            case (true, true): object.setValue(NSOrderedSet(array: objects), forKey: end.shape.name)
            case (true, false): object.setValue(NSSet(array: objects), forKey: end.shape.name)
            }
        }
        actor.plain.edit(isUndoable: actor.undoes) { view, touched in
            view.set(end, of: number, to: list, &touched)
        }
    }

    /// Whether a to-one relationship was read with an object that is gone. It shows none; to set it to none is a
    /// change, which takes away what its context's source was given since, and plain graphs do not know of it.
    private func wasReadDangling(_ number: Int, _ end: End, _ actor: Actor) -> Bool {
        guard !end.shape.isToMany, end.opposite.isLeftDangling, let object = actor.instances[number],
            actor.plain.base.partners(end, number).isEmpty
        else { return false }
        return object.committedValues(forKeys: [end.shape.name])[end.shape.name] is NSManagedObject
    }

    /// Deletes an object, with the prizes that would deny it.
    private func delete(_ number: Int, _ actor: Actor) {
        if actor.plain.wouldDangle(number) { return }
        let prizes = End.all.first { $0.shape.rule == .denyDeleteRule }
            .map { actor.plain.view.partners($0, number) } ?? []
        note("\(actor.name): delete \(([number] + prizes).map(String.init).joined(separator: ", "))")
        actor.event {
            for doomed in prizes + [number] {
                if let object = actor.instances[doomed] { actor.context.delete(object) }
            }
        }
        actor.plain.edit(isUndoable: actor.undoes) { view, touched in
            for doomed in prizes + [number] { view.delete(doomed, &touched) }
        }
    }

    private func object(_ number: Int, _ actor: Actor) throws -> NSManagedObject {
        guard let object = actor.instances[number] else {
            throw failure("\(actor.name) has no object \(number)")
        }
        return object
    }

    func rollback(_ actor: Actor) throws {
        note("\(actor.name): rollback")
        actor.context.performAndWait { actor.context.rollback() }
        actor.plain.rollback()
        try abandonChildren(of: actor)
    }

    func undo(_ actor: Actor) throws {
        guard actor.undoes else { return }
        if actor.plain.undoClashes(with: store) || actor.plain.leavesDangling(redoing: false) {
            return actor.discardSteps()
        }
        note("\(actor.name): undo")
        actor.context.performAndWait { actor.context.undo() }
        actor.plain.undo()
        try abandonChildren(of: actor)
    }

    func redo(_ actor: Actor) throws {
        guard actor.undoes else { return }
        if actor.plain.leavesDangling(redoing: true) { return actor.discardSteps() }
        note("\(actor.name): redo")
        actor.context.performAndWait { actor.context.redo() }
        actor.plain.redo()
        try abandonChildren(of: actor)
    }

    /// What a child has may be gone in its parent.
    func abandonChildren(of actor: Actor) throws {
        for child in actors where child.parent === actor {
            if child.plain.isCurrent(with: actor.plain.view), !actor.hasOthers(than: child) { continue }
            note("\(child.name): reset with its parent")
            try child.reset(to: actor.plain.view)
        }
    }
}
