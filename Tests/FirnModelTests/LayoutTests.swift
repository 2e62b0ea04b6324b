import FirnModel
import Testing

@Suite struct LayoutTests {
    @Test("Slots are the own properties by name, then leaves, then positions")
    func order() {
        let library = Library()
        let point = NSCompositeAttributeDescription()
        point.name = "origin"
        point.elements = [
            attribute("y", .doubleAttributeType), attribute("x", .doubleAttributeType),
        ]
        library.book.properties += [point]
        library.model.freeze()
        let names = library.book.layout.slots.map(\.name)
        #expect(
            names == [
                "fans", "origin", "pages", "title", "writer", "origin.x", "origin.y",
                "Z_ORD_writer",
            ])
    }

    @Test("A subentity's slots begin with its superentity's")
    func inheritance() {
        let library = Library()
        library.model.freeze()
        let (book, novel) = (library.book.layout, library.novel.layout)
        #expect(novel.slots.map(\.name) == book.slots.map(\.name) + ["genre"])
    }

    @Test("The position's slot is known to the to-one, and the to-one's to the position")
    func position() throws {
        let library = Library()
        library.model.freeze()
        let layout = library.book.layout
        let writer = try #require(layout.slot(named: "writer"))
        let position = try #require(layout.slot(named: "Z_ORD_writer"))
        guard case .toOne(let toOne) = layout.slots[writer].kind,
            case .position(toOne: writer) = layout.slots[position].kind
        else {
            Issue.record("writer is no to-one, or its position names another")
            return
        }
        #expect(toOne.positionSlot == position)
    }

    @Test("An inverse is named by its slot at the destination")
    func inverses() throws {
        let library = Library()
        library.model.freeze()
        for layout in [library.author.layout, library.book.layout] {
            for slot in layout.relationshipSlots.map({ layout.slots[$0] }) {
                let destination = try #require(slot.destination)
                let inverse = destination.layout.slots[try #require(slot.inverseSlot)]
                #expect(inverse.inverseSlot == slot.index, "\(layout.name).\(slot.name)")
                #expect(inverse.destination === layout.entity, "\(layout.name).\(slot.name)")
            }
        }
    }

    @Test("Of two to-many relationships that are each other's inverse exactly one is canonical")
    func canonical() throws {
        let library = Library()
        library.model.freeze()
        func isCanonical(_ layout: EntityLayout, _ name: String) throws -> Bool {
            guard
                case .toMany(let toMany) = layout.slots[try #require(layout.slot(named: name))].kind
            else {
                return false
            }
            return toMany.isCanonical
        }
        #expect(try isCanonical(library.author.layout, "likes"))
        #expect(try !isCanonical(library.book.layout, "fans"))
        #expect(try !isCanonical(library.author.layout, "books"))
    }

    @Test("A to-many that is its own inverse is canonical")
    func ownInverse() throws {
        let person = entity("Person")
        let friends = relationship("friends", to: person, isToMany: true)
        friends.inverseRelationship = friends
        person.properties = [friends]
        let people = model([person])
        people.freeze()
        guard case .toMany(let toMany) = person.layout.slots[0].kind else {
            Issue.record("friends is no to-many")
            return
        }
        #expect(toMany.isCanonical)
        #expect(toMany.inverseSlot == 0)
    }

    @Test("Kinship is answered by the layouts as by the entities")
    func kinship() {
        let leaf = entity("C")
        let middle = entity("B")
        middle.subentities = [leaf]
        let (top, sibling, other) = (entity("A"), entity("D"), entity("E"))
        top.subentities = [middle, sibling]
        let family = model([top, other])
        family.freeze()
        for one in family.entities {
            for two in family.entities {
                #expect(
                    one.layout.isKind(of: two.layout) == one.isKindOf(entity: two),
                    "\(one.name ?? "") \(two.name ?? "")")
            }
        }
    }

    @Test("Defaults are laid out as they are stored")
    func defaults() throws {
        let library = Library()
        library.model.freeze()
        let layout = library.novel.layout
        let pages = try #require(layout.slot(named: "pages"))
        #expect(layout.defaultedSlots == [pages])
        guard case .integer(1) = layout.slots[pages].defaultValue else {
            Issue.record("the default is \(layout.slots[pages].defaultValue)")
            return
        }
    }

    @Test("Only what a store keeps is in the stored slots")
    func stored() {
        let transient = attribute("shown")
        transient.isTransient = true
        let library = Library()
        library.book.properties += [transient]
        library.model.freeze()
        let layout = library.book.layout
        #expect(
            layout.storedSlots.map { layout.slots[$0].name } == [
                "pages", "title", "writer", "Z_ORD_writer",
            ])
    }

    @Test("Constraints of a superentity hold for its subentities")
    func constraints() throws {
        let library = Library()
        library.book.uniquenessConstraints = [["title", "pages"]]
        library.novel.uniquenessConstraints = [["genre"]]
        library.model.freeze()
        let constraints = library.novel.layout.uniquenessConstraints
        let names = constraints.map { $0.slots.map { library.novel.layout.slots[$0].name } }
        #expect(names == [["title", "pages"], ["genre"]])
        #expect(constraints.first?.constrainedEntity === library.book)
    }
}
