import FirnModel
import Testing

/// What a model must be to be used.
@Suite struct ModelRulesTests {
    @Test("A good model has no problems")
    func good() { #expect(Library().model.validate() == []) }

    @Test(
        "A name that managed objects need is refused",
        arguments: ["description", "hash", "objectID", "isDeleted", "self"])
    func reserved(name: String) {
        let problems = model([entity("A", [attribute(name)])]).validate()
        #expect(problems.map(\.propertyName) == [name])
    }

    @Test("A property named like an inherited one is refused")
    func inheritedName() {
        let library = Library()
        library.novel.properties += [attribute("title")]
        #expect(
            library.model.validate().map(\.message) == [
                "Novel.title: has more than one property of that name."
            ])
    }

    @Test("A stored attribute needs a type")
    func undefined() {
        let problems = model([entity("A", [attribute("x", .undefinedAttributeType)])]).validate()
        #expect(problems.count == 1)
    }

    @Test("A default of another type is refused")
    func defaultType() {
        let problems = model([entity("A", [attribute("x", .dateAttributeType, default: "today")])])
            .validate()
        #expect(problems.map(\.propertyName) == ["x"])
    }

    @Test("A relationship needs a destination in the model")
    func destination() {
        let stranger = entity("B")
        let problems = model([entity("A", [relationship("b", to: stranger)])]).validate()
        #expect(problems.map(\.message) == ["A.b: leads to 'B', which is not part of the model."])
    }

    @Test("An inverse must lead back")
    func inverse() {
        let (one, two) = (entity("A"), entity("B"))
        let (first, second, back) = (
            relationship("first", to: two), relationship("second", to: two),
            relationship("back", to: one)
        )
        first.inverseRelationship = back
        second.inverseRelationship = back
        back.inverseRelationship = first
        one.properties = [first, second]
        two.properties = [back]
        #expect(model([one, two]).validate().map(\.propertyName) == ["second"])
    }

    @Test("Copies of two relationships are each other's inverse in the model that has them", arguments: [false, true])
    func copiedInverses(isOriginalThere: Bool) throws {
        let (one, two) = (entity("A"), entity("B"))
        var originals = [relationship("there", to: two), relationship("back", to: one)]
        originals[0].inverseRelationship = originals[1]
        originals[1].inverseRelationship = originals[0]
        let copies = originals.compactMap { $0.copy() as? NSRelationshipDescription }
        one.properties = [try #require(copies.first)]
        two.properties = [try #require(copies.last)]
        if !isOriginalThere { originals = [] }
        #expect(model([one, two]).validate() == [])
        #expect(copies[0].inverseRelationship === copies[1])
        #expect(copies[1].inverseRelationship === copies[0])
        withExtendedLifetime(originals) {}
    }

    @Test("An inverse set on one side holds for both")
    func oneSided() {
        let (one, two) = (entity("A"), entity("B"))
        let (there, back) = (relationship("there", to: two), relationship("back", to: one))
        there.inverseRelationship = back
        one.properties = [there]
        two.properties = [back]
        let pair = model([one, two])
        #expect(pair.validate() == [])
        #expect(back.inverseRelationship === there)
    }

    @Test("A constraint on what is not there is refused")
    func constraint() {
        let thing = entity("A", [attribute("x")])
        thing.uniquenessConstraints = [["y"]]
        #expect(model([thing]).validate().count == 1)
    }

    @Test("Subentities become part of the model")
    func subentities() {
        #expect(Set(Library().model.entitiesByName.keys) == ["Author", "Book", "Novel"])
    }

    @Test("Properties include the inherited ones, and setting them leaves those alone")
    func inheritedProperties() {
        let library = Library()
        library.novel.properties = library.novel.properties + [attribute("length")]
        #expect(library.novel.ownProperties.map(\.name) == ["genre", "length"])
        #expect(library.novel.attributesByName["title"]?.entity === library.book)
    }

    @Test("A change of a frozen model stops the program")
    func immutable() async {
        await #expect(processExitsWith: .failure) {
            let library = Library()
            library.model.freeze()
            library.book.name = "Volume"
        }
    }

    @Test("A copy of a frozen model is equal and may be changed")
    func copy() throws {
        let library = Library()
        library.model.freeze()
        let copy = try #require(library.model.copy() as? NSManagedObjectModel)
        #expect(library.model.differences(to: copy) == [])
        copy.entitiesByName["Book"]?.name = "Volume"
        #expect(library.model.entitiesByName["Volume"] == nil)
    }

    @Test("A copy shares no description with its original")
    func copyIsDeep() throws {
        let library = Library()
        let copy = try #require(library.model.copy() as? NSManagedObjectModel)
        let writer = copy.entitiesByName["Book"]?.relationshipsByName["writer"]
        #expect(writer?.destinationEntity === copy.entitiesByName["Author"])
        #expect(
            writer?.inverseRelationship
                === copy.entitiesByName["Author"]?.relationshipsByName["books"])
    }

    @Test("Merged models have the entities of each")
    func merged() throws {
        let merged = try #require(
            NSManagedObjectModel(byMerging: [Library().model, model([entity("Shelf")])]))
        #expect(Set(merged.entitiesByName.keys) == ["Author", "Book", "Novel", "Shelf"])
        #expect(merged.validate() == [])
    }

    @Test("Merging two equal models gives an equal model")
    func mergedTwice() throws {
        let merged = try #require(
            NSManagedObjectModel(byMerging: [Library().model, Library().model]))
        #expect(Library().model.differences(to: merged) == [])
    }
}
