import Firn
import FirnModel
import Foundation
import StoreSupport
import TestSupport
import Testing

/// Named requests of a model, and properties whose value is what a request finds.
@Suite("Conformance (d): fetch requests of the model")
struct FetchedPropertyConformanceTests {
    let context: NSManagedObjectContext

    init() throws {
        let model = Library.model()
        let author = try #require(model.entitiesByName["Author"])
        let property = NSFetchedPropertyDescription()
        property.name = "contemporaries"
        let request = NSFetchRequest<any NSFetchRequestResult>()
        request.entity = author
        request.predicate = NSPredicate(
            format: "age == $FETCH_SOURCE.age AND SELF != $FETCH_SOURCE AND name != $FETCHED_PROPERTY.name")
        request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
        property.fetchRequest = request
        author.properties.append(property)
        let template = NSFetchRequest<any NSFetchRequestResult>()
        template.entity = model.entitiesByName["Book"]
        template.predicate = NSPredicate(format: "pages > $COUNT AND author == $AUTHOR")
        model.setFetchRequestTemplate(template, forName: "LongBooks")
        context = try Library.inMemory(model).context()
        for (name, age) in [("Ada", 36), ("Bob", 36), ("Cay", 36), ("Dan", 40), ("contemporaries", 36)] {
            let author = context.make("Author", ["name": name, "age": age])
            context.make("Book", ["title": name, "pages": age]).setValue(author, forKey: "author")
        }
        try context.save()
    }

    private func names(_ value: Any?) -> [String?] { (value as? [NSManagedObject] ?? []).map { $0.text("name") } }

    @Test("d.16 a fetched property is found with its source and itself as variables, and keeps until a refresh")
    func fetched() throws {
        let ada = try context.all("Author", sortedBy: "name")[0]
        #expect(names(ada.value(forKey: "contemporaries")) == ["Bob", "Cay"])
        _ = context.make("Author", ["name": "Eve", "age": 36])
        #expect(names(ada.value(forKey: "contemporaries")) == ["Bob", "Cay"])
        context.refresh(ada, mergeChanges: true)
        #expect(names(ada.value(forKey: "contemporaries")) == ["Bob", "Cay", "Eve"])
    }

    @Test(
        "d.16 a fetched property's predicate reaches what its description and its source's entity have, by key paths",
        arguments: [
            "age == $FETCHED_PROPERTY.userInfo.age AND name != $FETCHED_PROPERTY.name",
            "age == $FETCHED_PROPERTY.userInfo.deep.age AND name != $FETCHED_PROPERTY.name",
            "name IN $FETCHED_PROPERTY.userInfo.names "
                + "AND age < $FETCH_SOURCE.entity.attributesByName.age.userInfo.limit",
            "age == 36 AND name != $FETCHED_PROPERTY.name "
                + "AND $FETCHED_PROPERTY.entity.name == $FETCH_SOURCE.entity.name",
            "age == 36 AND name != $FETCHED_PROPERTY.name AND $FETCHED_PROPERTY.isTransient == YES",
            "age == 36 AND name != $FETCHED_PROPERTY.name AND $FETCH_SOURCE.objectID.entity.name == 'Author'",
        ])
    func descriptionKeys(format: String) throws {
        let model = Library.model()
        let author = try #require(model.entitiesByName["Author"])
        author.attributesByName["age"]?.userInfo = ["limit": 40]
        let property = NSFetchedPropertyDescription()
        property.name = "peers"
        property.userInfo = ["age": 36, "deep": ["age": 36], "names": ["Ada", "Bob", "Dan"]]
        let request = NSFetchRequest<any NSFetchRequestResult>()
        request.entity = author
        request.predicate = NSPredicate(format: format)
        request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
        property.fetchRequest = request
        author.properties.append(property)
        let context = try Library.inMemory(model).context()
        for (name, age) in [("Ada", 36), ("Bob", 36), ("Dan", 40)] {
            _ = context.make("Author", ["name": name, "age": age])
        }
        try context.save()
        let dan = try context.all("Author", sortedBy: "name")[2]
        #expect(names(dan.value(forKey: "peers")) == ["Ada", "Bob"])
    }

    @Test("a parent finds the objects of a fetched property itself, also of what its child inserted")
    func ofChild() throws {
        let child = context.makeChild()
        let eve = child.make("Author", ["name": "Eve", "age": 36])
        #expect(names(eve.value(forKey: "contemporaries")) == ["Ada", "Bob", "Cay"])
        try child.save()
        let found = context.object(with: eve.objectID).value(forKey: "contemporaries") as? [NSManagedObject]
        #expect(found?.map { $0.managedObjectContext } == [context, context, context])
    }

    @Test("a template takes values for its variables")
    func template() throws {
        let model = try #require(context.persistentStoreCoordinator?.managedObjectModel)
        let dan = try context.all("Author", sortedBy: "name")[3]
        let request = try #require(
            model.fetchRequestFromTemplate(
                withName: "LongBooks", substitutionVariables: ["COUNT": 38, "AUTHOR": dan.objectID]))
        #expect(try (context.fetch(request) as? [NSManagedObject])?.map { $0.text("title") } == ["Dan"])
        #expect(model.fetchRequestTemplate(forName: "LongBooks")?.predicate?.predicateFormat.contains("$COUNT") == true)
    }
}
