import FirnFoundation
import FirnLog
import FirnModel
import FirnProjection
import Foundation
import TestSupport
import Testing

import class FirnFoundation.NSExpression
import class FirnFoundation.NSPredicate
import class FirnFoundation.NSSortDescriptor

/// Fetch indexes, and whether SQLite uses them: its query plan says so.
@Suite("Fetch indexes are used")
struct FetchIndexTests {
    /// One entity, `Place`, with the index.
    private struct Places {
        let model = NSManagedObjectModel()
        let entity = NSEntityDescription()
        let schema: StoreSchema
        let projection: Projection

        init(_ configure: (NSEntityDescription) -> Void) throws {
            entity.name = "Place"
            entity.properties = [
                SampleModel.attribute("name", .stringAttributeType),
                SampleModel.attribute("age", .integer64AttributeType),
                SampleModel.attribute("lat", .doubleAttributeType), SampleModel.attribute("lon", .doubleAttributeType),
                SampleModel.attribute("price", .decimalAttributeType),
                SampleModel.attribute("seen", .booleanAttributeType),
            ]
            configure(entity)
            model.entities = [entity]
            schema = StoreSchema(model: model)
            (projection, _) = try Projection.open(
                .memory, schema: schema, storeID: "s", modelSequence: SequenceNumber(1), head: .zero)
        }

        func request(_ format: String?, sort: [NSSortDescriptor] = []) -> NSFetchRequest<any NSFetchRequestResult> {
            let request = NSFetchRequest<any NSFetchRequestResult>()
            request.entity = entity
            request.predicate = format.map { NSPredicate(format: $0) }
            request.sortDescriptors = sort
            return request
        }

        func plan(_ format: String?, sort: String? = nil, ascending: Bool = true) throws -> String {
            let sort = sort.map { [NSSortDescriptor(key: $0, ascending: ascending)] } ?? []
            let plan = try FetchPlan(request(format, sort: sort), schema: schema)
            return try projection.read { try $0.explain(plan).plan.joined(separator: "\n") }
        }
    }

    private static func index(
        _ entity: NSEntityDescription, _ names: [String], descending: Bool = false,
        type: NSFetchIndexElementType = .binary, where partial: String? = nil
    ) {
        let elements = names.compactMap { name -> NSFetchIndexElementDescription? in
            guard let property = entity.propertiesByName[name] else { return nil }
            let element = NSFetchIndexElementDescription(property: property, collationType: type)
            element.isAscending = !descending
            return element
        }
        let index = NSFetchIndexDescription(name: "by", elements: elements)
        index.partialIndexPredicate = partial.map { NSPredicate(format: $0) }
        entity.indexes = [index]
    }

    @Test("equality, ranges and membership of a number use its index")
    func numbers() throws {
        let places = try Places { Self.index($0, ["age"]) }
        for format in ["age == 3", "age > 3", "age BETWEEN {1, 2}", "age IN {1, 2, 3}"] {
            #expect(try places.plan(format).contains("USING INDEX Z_IX_Place_by"), "\(format)")
        }
    }

    @Test("a sort by a number uses its index, in both directions")
    func numberOrder() throws {
        let places = try Places { Self.index($0, ["age"]) }
        #expect(try places.plan(nil, sort: "age").contains("USING INDEX Z_IX_Place_by"))
        #expect(try !places.plan(nil, sort: "age").contains("TEMP B-TREE"))
        #expect(try places.plan(nil, sort: "age", ascending: false).contains("USING INDEX Z_IX_Place_by"))
    }

    @Test("equality and prefix of a text use its index, its order the index in order")
    func texts() throws {
        let places = try Places { Self.index($0, ["name"]) }
        #expect(try places.plan("name == 'a'").contains("USING INDEX Z_IX_Place_by (name=?)"))
        #expect(try places.plan("name BEGINSWITH 'a'").contains("USING INDEX Z_IX_Place_by (name>? AND name<?)"))
        #expect(try places.plan("name > 'a'").contains("USING INDEX Z_IX_Place_by_order"))
        let sorted = try places.plan(nil, sort: "name")
        #expect(sorted.contains("USING INDEX Z_IX_Place_by_order"))
        #expect(!sorted.contains("TEMP B-TREE"))
    }

    @Test("a compound index serves equality of its first and the order of its second property")
    func compound() throws {
        let places = try Places { Self.index($0, ["age", "name"]) }
        let plan = try places.plan("age == 3", sort: "name")
        #expect(plan.contains("USING INDEX Z_IX_Place_by_order (age=?)"))
        #expect(!plan.contains("TEMP B-TREE"))
    }

    @Test("decimals are indexed in the order of numbers")
    func decimals() throws {
        let places = try Places { Self.index($0, ["price"], descending: true) }
        #expect(try places.plan("price > 3").contains("USING INDEX Z_IX_Place_by"))
        #expect(try !places.plan(nil, sort: "price", ascending: true).contains("SCAN t0\n"))
    }

    @Test("the older flags and compound indexes are indexes too")
    func legacy() throws {
        let flagged = try Places { $0.propertiesByName["age"]?.isIndexed = true }
        #expect(try flagged.plan("age == 3").contains("USING INDEX Z_IX_Place_age"))
        let compound = try Places { $0.compoundIndexes = [["age", "name"]] }
        #expect(try compound.plan("age == 3 AND name == 'a'").contains("(age=? AND name=?)"))
    }

    @Test("a constraint's look-up uses an index")
    func constraints() throws {
        let places = try Places { $0.uniquenessConstraints = [["name"]] }
        #expect(try places.plan("name == 'a'").contains("USING INDEX Z_IX_Place_unique_name (name=?)"))
    }

    @Test("a partial index is used by requests that ask for what it holds, and by no others")
    func partial() throws {
        let places = try Places { Self.index($0, ["age"], where: "seen == YES AND name == \"it's\"") }
        #expect(
            try places.plan("age > 3 AND seen == YES AND name == \"it's\"").contains("USING INDEX Z_IX_Place_by"))
        #expect(try !places.plan("age > 3 AND seen == NO").contains("Z_IX_Place_by"))
        #expect(try !places.plan("age > 3").contains("Z_IX_Place_by"))
    }

    @Test("an index of a text in lower case serves comparisons and sorts without regard to case")
    func caseInsensitive() throws {
        let places = try Places { entity in
            let lowered = NSExpressionDescription()
            lowered.name = "lowered"
            lowered.expression = NSExpression(format: "lowercase:(name)")
            lowered.expressionResultType = .stringAttributeType
            entity.indexes = [
                NSFetchIndexDescription(
                    name: "by",
                    elements: [NSFetchIndexElementDescription(property: lowered, collationType: .binary)])
            ]
        }
        #expect(try places.plan("name ==[c] 'x'").contains("USING INDEX Z_IX_Place_by_case (name=?)"))
        let sort = NSSortDescriptor(
            key: "name", ascending: false, selector: Selector("caseInsensitiveCompare:"))
        let plan = try FetchPlan(places.request(nil, sort: [sort]), schema: places.schema)
        let explained = try places.projection.read { try $0.explain(plan).plan.joined(separator: "\n") }
        #expect(explained.contains("INDEX Z_IX_Place_by_case"), "\(explained)")
        #expect(!explained.contains("USE TEMP B-TREE FOR ORDER BY"), "\(explained)")
    }

    @Test("an index of an expression serves the same expression in a predicate")
    func expression() throws {
        let places = try Places { entity in
            let lowered = NSExpressionDescription()
            lowered.name = "lowered"
            lowered.expression = NSExpression(format: "lowercase:(name)")
            lowered.expressionResultType = .stringAttributeType
            entity.indexes = [
                NSFetchIndexDescription(
                    name: "by", elements: [.init(property: lowered, collationType: .binary)])
            ]
        }
        #expect(try places.plan("lowercase:(name) == 'a'").contains("USING INDEX Z_IX_Place_by (<expr>=?)"))
    }

    @Test("an index that SQL cannot express is left out")
    func impossible() throws {
        let places = try Places { Self.index($0, ["age"], where: "now() > CAST(age, 'NSDate')") }
        #expect(try !places.plan("age > 3").contains("Z_IX"))
    }

    @Test("searches for words use an index of the texts that the model says are searchable, and no others")
    func words() throws {
        let places = try Places { $0.attributesByName["name"]?.userInfo = ["searchable": "YES"] }
        #expect(try places.plan("name TOKENMATCHES[cd] 'a b*'").contains("VIRTUAL TABLE INDEX"))
        let spotlight = try Places { $0.attributesByName["name"]?.isIndexedBySpotlight = true }
        #expect(try spotlight.plan("name TOKENMATCHES 'a'").contains("VIRTUAL TABLE INDEX"))
        #expect(try places.plan("age > 3 AND (name TOKENMATCHES 'a' OR name TOKENMATCHES 'b')").contains("VIRTUAL"))
        #expect(try !places.plan("age > 3 OR name TOKENMATCHES 'a'").contains("VIRTUAL TABLE"))
        #expect(try !places.plan("NOT name TOKENMATCHES 'a'").contains("VIRTUAL TABLE"))
        #expect(try !Places { _ in }.plan("name TOKENMATCHES 'a'").contains("VIRTUAL TABLE"))
    }

    @Test("ranges use an R-tree, and find what the columns themselves say, after inserts, updates and deletes")
    func rTree() throws {
        let places = try Places { Self.index($0, ["lat", "lon"], type: .rTree) }
        #expect(try places.plan("lat BETWEEN {1, 2} AND lon > 5").contains("VIRTUAL TABLE INDEX"))
        #expect(try !places.plan("age > 5").contains("VIRTUAL TABLE"))
        var generator = TestSupport.SeededGenerator()
        var expected: [Int64: (Double, Double?)] = [:]
        var sequence: UInt64 = 0
        func save(_ group: ChangeGroup) throws {
            sequence += 1
            try places.projection.begin()
            try places.projection.apply(
                Sample.record(
                    SequenceNumber(sequence), sequence == 1 ? .model(places.schema.logModel)
                        : .changes(ChangeSet(model: 1, groups: [group], links: []))))
            try places.projection.commit()
        }
        let numbers: [Double] = [-1e300, -1.1, 0, 0.1, 1, 1.0000000001, 2, 16_777_217, .infinity]
        try save(ChangeGroup(entity: EntityNumber(1), operation: .insert, primaryKeys: [], slots: [], new: [], old: []))
        for key in 1...60 as ClosedRange<Int64> {
            let lat = numbers.randomElement(using: &generator) ?? 0
            let lon = Bool.random(using: &generator) ? numbers.randomElement(using: &generator) : nil
            expected[key] = (lat, lon)
            try save(
                places.schema.group(
                    .insert, "Place", key, ["lat": .real(lat), "lon": lon.map { .real($0) } ?? .null]))
        }
        for key in 1...10 as ClosedRange<Int64> {
            let old = expected[key]?.0 ?? 0
            try save(places.schema.group(.update, "Place", key, ["lat": .real(old + 1)]))
            expected[key]?.0 = old + 1
        }
        for key in 11...20 as ClosedRange<Int64> {
            try save(places.schema.group(.delete, "Place", key, ["lat": .real(expected[key]?.0 ?? 0)]))
            expected[key] = nil
        }
        for low in numbers {
            let request = places.request(nil)
            request.predicate = NSPredicate(format: "lat >= %lf AND lat <= 2", low)
            let plan = try FetchPlan(request, schema: places.schema)
            let found = try places.projection.read { try $0.keys(plan) }.map(\.primaryKey)
            let right = expected.filter { $0.value.0 >= low && $0.value.0 <= 2 }.keys
            #expect(Set(found) == Set(right), "\(generator): lat >= \(low)")
        }
    }
}
