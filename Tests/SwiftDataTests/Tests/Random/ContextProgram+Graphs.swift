import Foundation
import SwiftData

/// Edits of several models at once.
extension ContextProgram {
    func pair(_ rack: Int, _ stamp: Int) throws {
        let (pair, fromRack) = (PlainLibrary.Pair(rack: rack, stamp: stamp), chance(2))
        if shown.pairs.contains(pair) {
            try event("unlink \(rack) \(stamp)") {
                if fromRack { try self.rack(rack)?.stamps.removeAll { $0.number == stamp } }
                else { try self.stamp(stamp)?.racks.removeAll { $0.number == rack } }
            } _: { $0.pairs.remove(pair) }
        } else {
            try event("link \(rack) \(stamp)") {
                guard let one = try self.rack(rack), let other = try self.stamp(stamp) else { return }
                if fromRack { one.stamps.append(other) } else { other.racks.append(one) }
            } _: { $0.pairs.insert(pair) }
        }
    }

    func setStamps(_ rack: Int) throws {
        let stamps = shown.stamps.keys.sorted().filter { _ in chance(3) }
        try event("stamps of \(rack) to \(stamps)") {
            try self.rack(rack)?.stamps = try stamps.compactMap(stamp)
        } _: { plain in
            plain.pairs = plain.pairs.filter { $0.rack != rack }
            plain.pairs.formUnion(stamps.map { .init(rack: rack, stamp: $0) })
        }
    }

    func clasp(_ rack: Int) throws {
        let number = newNumber()
        try event("clasp \(number) of \(rack)") {
            let clasp = Clasp(number)
            clasp.rack = try self.rack(rack)
            context.insert(clasp)
        } _: {
            $0.clasps.insert(number)
            $0.rackOfClasp[number] = rack
        }
    }

    /// Changes a list of models as an array is changed.
    func changeInPlace(_ rack: Int) throws {
        let (number, value) = (newNumber(), value())
        let tomes = try self.rack(rack)?.tomes.map(\.number) ?? []
        switch Int.random(in: 0..<5, using: &numbers) {
        case 0:
            try event("tome \(number) first in \(rack)") {
                try self.rack(rack)?.tomes.insert(Tome(number, value), at: 0)
            } _: { plain in
                plain.tomes[number] = value
                plain.rackOfTome[number] = rack
            }
        case 1:
            try event("last of \(tomes) leaves \(rack)") { _ = try self.rack(rack)?.tomes.popLast() } _: { plain in
                if let last = tomes.last { plain.rackOfTome[last] = nil }
            }
        case 2 where tomes.count > 1:
            let place = Int.random(in: 1..<tomes.count, using: &numbers)
            try event("tome \(tomes[place]) of \(tomes) for \(number)") {
                try self.rack(rack)?.tomes[place] = Tome(number, value)
            } _: { plain in
                plain.tomes[number] = value
                plain.rackOfTome[number] = rack
                plain.rackOfTome[tomes[place]] = nil
            }
        case 3 where tomes.count > 1:
            try event("tomes of \(rack) but the first") { try self.rack(rack)?.tomes.removeFirst() } _: { plain in
                plain.rackOfTome[tomes[0]] = nil
            }
        default:
            try event("no stamps in \(rack)") { try self.rack(rack)?.stamps.removeAll() } _: { plain in
                plain.pairs = plain.pairs.filter { $0.rack != rack }
            }
        }
    }

    /// Adds more models to a rack than its relationships are read again for: it remembers what they were set to.
    func crowd(_ rack: Int) throws {
        let (tomes, stamps) = ((0..<17).map { _ in newNumber() }, (0..<17).map { _ in newNumber() })
        try event("tomes \(tomes) and stamps \(stamps) of \(rack)") {
            guard let rack = try self.rack(rack) else { return }
            for number in tomes { rack.tomes.append(Tome(number, number % 100)) }
            rack.stamps.append(contentsOf: stamps.map { Stamp($0, $0 % 100) })
        } _: { plain in
            for number in tomes {
                plain.tomes[number] = number % 100
                plain.rackOfTome[number] = rack
            }
            for number in stamps {
                plain.stamps[number] = number % 100
                plain.pairs.insert(.init(rack: rack, stamp: number))
            }
        }
    }

    /// Relates models outside of a context, and inserts one of them, which takes the others along.
    func insertGraph() throws {
        let (rack, first, second, stamp) = (newNumber(), newNumber(), newNumber(), newNumber())
        let (value, way, other) = (value(), Int.random(in: 0..<4, using: &numbers), one(shown.stamps.keys.sorted()))
        try event("rack \(rack) with \(first), \(second), \(stamp), \(other ?? 0) by \(way)") {
            let (model, tome) = (Rack(rack, value), Tome(first, value))
            let (atlas, new) = (Atlas(second, value), Stamp(stamp, value))
            tome.rack = model
            model.tomes.append(atlas)
            model.shown = atlas
            new.racks = [model]
            // Leads into the context by itself.
            if let other = try other.flatMap({ try self.stamp($0) }), way != 3 { model.stamps.append(other) }
            switch way {
            case 0: context.insert(model)
            case 1: context.insert(tome)
            case 2: context.insert(atlas)
            default: context.insert(new)
            }
        } _: { plain in
            plain.racks[rack] = value
            (plain.tomes[first], plain.tomes[second], plain.stamps[stamp]) = (value, value, value)
            plain.atlases.insert(second)
            (plain.rackOfTome[first], plain.rackOfTome[second]) = (rack, rack)
            plain.shown[rack] = second
            plain.pairs.insert(.init(rack: rack, stamp: stamp))
            if let other, way != 3 { plain.pairs.insert(.init(rack: rack, stamp: other)) }
        }
    }

    /// Deletes a tome or a plate, saves, and inserts it again: it is a new one with the values of the old, and leads to
    /// the rack that it led to when the deletion began, which may lead to another meanwhile.
    func insertAgain(_ number: Int) throws {
        try save()
        let isPlate = chance(2) && !shown.plates.isEmpty
        guard let number = isPlate ? one(shown.plates.sorted()) : number else { return }
        let model: (any PersistentModel)? = isPlate ? try plate(numbered: number) : try tome(number)
        guard let model else { return }
        let before = shown
        // Not all is read before the deletion.
        if chance(2) { _ = try context.fetch(FetchDescriptor<Rack>()).map { ($0.shown?.number, $0.plate?.number) } }
        try event("delete \(number)") { context.delete(model) } _: { plain in
            if isPlate { plain.remove(plate: number) } else { plain.remove(tome: number) }
        }
        try save()
        let rack = isPlate ? before.rackOfPlate[number] : before.shown.first { $0.value == number }?.key
        if let rack, chance(2) { try giveAnother(to: rack, isPlate: isPlate) }
        try event("insert \(number) again") { insert(model) } _: { plain in
            if isPlate {
                plain.plates.insert(number)
                plain.give(plate: number, to: rack)
            } else {
                plain.tomes[number] = before.tomes[number]
                plain.rackOfTome[number] = before.rackOfTome[number]
                if before.atlases.contains(number) { plain.atlases.insert(number) }
                if let rack { plain.show(number, in: rack) }
            }
        }
    }

    private func insert<M: PersistentModel>(_ model: M) { context.insert(model) }

    private func giveAnother(to rack: Int, isPlate: Bool) throws {
        let number = newNumber()
        try event("\(number) instead in \(rack)") {
            let model = try self.rack(rack)
            if isPlate { model?.plate = Plate(number) } else { model?.shown = Tome(number, 1) }
        } _: { plain in
            if isPlate {
                plain.plates.insert(number)
                plain.give(plate: number, to: rack)
            } else {
                plain.tomes[number] = 1
                plain.show(number, in: rack)
            }
        }
    }
}
