import CoreData
import Foundation
import ManagedBase
import TestSupport
import Testing

import class ManagedBase.Person

extension Everything.Kind: RowValue {}

/// Objects with random values, and the rows of the same fetches.
@Suite("Rows as Swift values")
struct RowTests {
    private let directory: TemporaryDirectory
    private let context: NSManagedObjectContext

    init() throws {
        directory = try TemporaryDirectory()
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: ManagedModel.model())
        try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: directory.file("Rows.sqlite"), options: nil)
        context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
    }

    private static let texts = [
        "", "a", "Ä\u{308}", "e\u{301}", "é", "\u{0}", "日本", "👩‍👩‍👧", "a'b\"c", "NaN", "10", "9",
    ]

    private func fill(_ object: Everything, _ random: inout SeededGenerator) {
        func perhaps<T>(_ value: @autoclosure () -> T) -> T? { Bool.random(using: &random) ? value() : nil }
        func text() -> String { Self.texts.randomElement(using: &random) ?? "" }
        func real() -> Double {
            [0, -0.0, 1.5, -1e300, .infinity, .nan, Double.random(in: -9...9, using: &random)]
                .randomElement(using: &random) ?? 0
        }
        func bytes() -> Data { Data((0..<Int.random(in: 0...60, using: &random)).map { UInt8($0) }) }
        object.text = text()
        object.optionalText = perhaps(text())
        object.small = .random(in: .min ... .max, using: &random)
        object.middle = [0, .min, .max, 7].randomElement(using: &random) ?? 0
        object.large = [0, .min, .max, 7].randomElement(using: &random) ?? 0
        object.plain = .random(in: -3...3, using: &random)
        object.number = perhaps(NSNumber(value: Int.random(in: -2...2, using: &random)))
        object.isOn = .random(using: &random)
        object.isPerhapsOn = perhaps(NSNumber(value: true))
        object.double = real()
        object.float = Float(real())
        object.price = perhaps(NSDecimalNumber(decimal: Decimal(Int.random(in: -9...9, using: &random)) / 7))
        object.amount = Decimal(Int.random(in: -99...99, using: &random)) / 8
        object.perhapsAmount = perhaps(Decimal(string: "123456789012345678901234567890.12345678")!)
        object.date = perhaps(Date(timeIntervalSinceReferenceDate: .random(in: -1e9...1e9, using: &random)))
        object.seconds = .random(in: -1e9...1e9, using: &random)
        object.data = perhaps(bytes())
        object.certainData = bytes()
        object.identifier = perhaps(UUID())
        object.link = perhaps(URL(string: "https://example.com/\(Int.random(in: 0...9, using: &random))")!)
        object.mood = Bool.random(using: &random) ? .good : .bad
        object.perhapsMood = perhaps(.bad)
        object.kind = Bool.random(using: &random) ? .one : .two
        if Bool.random(using: &random) {
            let owner = Person(context: context)
            owner.name = text()
            owner.nickname = perhaps(text())
            object.owner = owner
        }
    }

    private func request(_ random: inout SeededGenerator) -> NSFetchRequest<Everything> {
        let request = NSFetchRequest<Everything>(entityName: "Everything")
        let formats = [
            "TRUEPREDICATE", "isOn == YES", "optionalText == nil", "plain > 0 OR number < 0",
            "owner.name BEGINSWITH 'a'",
            "text CONTAINS 'é'", "amount >= 0 AND perhapsMood != nil", "double > 1", "date < %@",
        ]
        let format = formats.randomElement(using: &random) ?? ""
        request.predicate = NSPredicate(format: format, Date(timeIntervalSinceReferenceDate: 0) as NSDate)
        request.sortDescriptors = ["plain", "optionalText", "price", "owner.name", "small", "double"]
            .shuffled(using: &random).prefix(.random(in: 0...3, using: &random))
            .map { NSSortDescriptor(key: $0, ascending: .random(using: &random)) }
        request.fetchLimit = Bool.random(using: &random) ? .random(in: 1...40, using: &random) : 0
        request.fetchOffset = Bool.random(using: &random) ? .random(in: 0...10, using: &random) : 0
        return request
    }

    @Test("are the values of the objects that the same fetch finds, of every type", arguments: 0..<6)
    func objects(_ seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        for _ in 0..<80 { fill(Everything(context: context), &random) }
        try context.save()
        for _ in 0..<12 {
            let request = request(&random)
            let objects = try context.fetch(request)
            let numbers = try context.rows(
                of: Everything.self, \.small, \.middle, \.large, \.plain, \.number, \.isOn, \.isPerhapsOn, \.double,
                \.float, \.price, \.amount, \.perhapsAmount,
                where: request.predicate, sortedBy: request.sortDescriptors ?? [], limit: request.fetchLimit,
                offset: request.fetchOffset)
            #expect(numbers.count == objects.count)
            for (row, object) in zip(numbers, objects) {
                #expect(row.0 == object.small && row.1 == object.middle && row.2 == object.large)
                #expect(row.3 == object.plain && row.4 == object.number && row.5 == object.isOn)
                #expect(row.6 == object.isPerhapsOn)
                #expect(row.7.isNaN ? object.double.isNaN : row.7 == object.double)
                #expect(row.8.isNaN ? object.float.isNaN : row.8 == object.float)
                #expect(row.9 == object.price && row.10 == object.amount && row.11 == object.perhapsAmount)
            }
            let others = try context.rows(
                of: Everything.self, \.text, \.optionalText, \.date, \.seconds, \.data, \.certainData, \.identifier,
                \.link, \.mood, \.perhapsMood, \.kind, \.owner?.name, \.owner?.nickname,
                where: request.predicate, sortedBy: request.sortDescriptors ?? [], limit: request.fetchLimit,
                offset: request.fetchOffset)
            #expect(others.count == objects.count)
            for (row, object) in zip(others, objects) {
                #expect(row.0.utf8.elementsEqual(object.text.utf8))
                #expect(row.1.map { Array($0.utf8) } == object.optionalText.map { Array($0.utf8) })
                #expect(row.2 == object.date && row.3 == object.seconds && row.4 == object.data)
                #expect(row.5 == object.certainData && row.6 == object.identifier && row.7 == object.link)
                #expect(row.8 == object.mood && row.9 == object.perhapsMood && row.10 == object.kind)
                #expect(row.11 == object.owner?.name && row.12 == object.owner?.nickname)
            }
            let ids = try context.rows(
                matching: request, .key("objectID", as: NSManagedObjectID.self), .value(\Everything.owner?.objectID),
                .key("owner", as: NSManagedObjectID?.self), .value(\.plain))
            #expect(ids.map(\.0) == objects.map(\.objectID))
            #expect(ids.map(\.1) == objects.map { $0.owner?.objectID })
            #expect(ids.map(\.2) == objects.map { $0.owner?.objectID })
            #expect(ids.map(\.3) == objects.map(\.plain))
        }
    }

    @Test("in groups are what a fetch of dictionaries computes", arguments: 0..<4)
    func groups(_ seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        for _ in 0..<60 { fill(Everything(context: context), &random) }
        try context.save()
        let groups = try context.rows(
            of: Everything.self, groupedBy: \.kind, \.owner?.name,
            computing: .count, .count(\.optionalText), .sum(\.plain), .sum(\.amount), .average(\.small),
            .average(\.amount), .min(\.optionalText), .max(\.small), .max(\.date),
            where: NSPredicate(format: "small > 0"), sortedBy: ["kind", "owner.name"].map(ascending))
        let dictionaries = NSFetchRequest<NSDictionary>(entityName: "Everything")
        dictionaries.resultType = .dictionaryResultType
        dictionaries.predicate = NSPredicate(format: "small > 0")
        dictionaries.sortDescriptors = ["kind", "owner.name"].map(ascending)
        dictionaries.propertiesToGroupBy = ["kind", "owner.name"]
        dictionaries.propertiesToFetch =
            ["kind", "owner.name"]
            + [
                "count:(SELF)", "count:(optionalText)", "sum:(plain)", "sum:(amount)", "average:(small)",
                "average:(amount)", "min:(optionalText)", "max:(small)", "max:(date)",
            ].map { format in
                let column = NSExpressionDescription()
                (column.name, column.expression) = (format, NSExpression(format: format))
                return column
            }
        let expected = try context.fetch(dictionaries)
        #expect(groups.count == expected.count)
        for (row, dictionary) in zip(groups, expected) {
            #expect(row.0.rawValue == dictionary["kind"] as? String)
            #expect(row.1 == dictionary["owner.name"] as? String)
            #expect(row.2 == (dictionary["count:(SELF)"] as? NSNumber)?.intValue)
            #expect(row.3 == (dictionary["count:(optionalText)"] as? NSNumber)?.intValue)
            #expect(row.4 == (dictionary["sum:(plain)"] as? NSNumber)?.intValue)
            #expect(row.5 == (dictionary["sum:(amount)"] as? NSNumber)?.decimalValue)
            #expect(row.6 == (dictionary["average:(small)"] as? NSNumber)?.doubleValue)
            #expect(row.7 == (dictionary["average:(amount)"] as? NSNumber)?.decimalValue)
            #expect(row.8 == dictionary["min:(optionalText)"] as? String)
            #expect(row.9 == (dictionary["max:(small)"] as? NSNumber)?.int16Value)
            #expect(row.10 == dictionary["max:(date)"] as? Date)
        }
    }

    private func ascending(_ key: String) -> NSSortDescriptor { NSSortDescriptor(key: key, ascending: true) }

    private func make(_ texts: String?..., plain: Int = 0) throws {
        for text in texts {
            let object = Everything(context: context)
            object.text = "x"
            object.optionalText = text
            object.plain = plain
        }
        try context.save()
    }

    @Test("are sorted, cut and made distinct")
    func window() throws {
        try make("c", "a", "b", "a", nil)
        func rows(_ limit: Int, _ offset: Int, _ distinct: Bool) throws -> [String?] {
            try context.rows(
                of: Everything.self, \.optionalText, sortedBy: [ascending("optionalText")], limit: limit,
                offset: offset, distinct: distinct)
        }
        #expect(try rows(0, 0, false) == [nil, "a", "a", "b", "c"])
        #expect(try rows(2, 1, false) == ["a", "a"])
        #expect(try rows(2, 1, true) == ["a", "b"])
    }

    @Test("of no groups have the values of all rows, also of none")
    func aggregates() throws {
        try make("a", "b", plain: 3)
        try make(nil, plain: 5)
        let (count, named, sum, least, average) = try #require(
            try context.rows(
                of: Everything.self, .count, .count(\.optionalText), .sum(\.plain), .min(\.optionalText),
                .average(\.plain)
            ).first)
        #expect(count == 3 && named == 2 && sum == 11 && least == "a")
        #expect(average == 11.0 / 3)
        let none = try #require(
            try context.rows(
                of: Everything.self, .count, .sum(\.plain), .sum(\.double), .sum(\.price), .average(\.amount),
                .max(\.small), where: NSPredicate(value: false)
            ).first)
        #expect(none.0 == 0 && none.1 == 0 && none.2 == 0 && none.3 == 0 && none.4 == nil && none.5 == nil)
    }

    @Test("are computed, sorted and chosen by the names of their columns")
    func names() throws {
        try make("a", plain: 1)
        try make("b", "b", plain: 4)
        try make("c", plain: 2)
        let groups = try context.rows(
            of: Everything.self, groupedBy: \.optionalText,
            computing: .sum(\.plain).named("total"), .computed(NSExpression(format: "sum:(plain) * 2"), as: Int.self),
            having: NSPredicate(format: "total > 1"), sortedBy: [NSSortDescriptor(key: "total", ascending: false)])
        #expect(groups.map(\.0) == ["b", "c"])
        #expect(groups.map(\.1) == [8, 2])
        #expect(groups.map(\.2) == [16, 4])
        let byExpression = try context.rows(
            of: Everything.self, groupedBy: .key("optionalText", as: String.self), computing: .count,
            sortedBy: [NSSortDescriptor(key: "count:(SELF)", ascending: false), ascending("optionalText")])
        #expect(byExpression.map(\.0) == ["b", "a", "c"])
        let grouped = NSFetchRequest<NSManagedObject>(entityName: "Everything")
        grouped.propertiesToGroupBy = ["plain"]
        grouped.sortDescriptors = [ascending("plain")]
        #expect(try context.rows(matching: grouped, RowColumn.count) == [1, 1, 2])
    }

    @Test("meet a predicate of Foundation's macro")
    func macro() throws {
        try make("a", plain: 1)
        try make("b", plain: 2)
        #expect(
            try context.rows(
                of: Everything.self, \.optionalText,
                where: NSPredicate(converting: #Predicate<Everything> { $0.plain > 1 })) == ["b"])
    }

    @Test("are the store's, without unsaved changes, as dictionaries are")
    func unsaved() throws {
        try make("a")
        let saved = try #require(try context.fetch(NSFetchRequest<Everything>(entityName: "Everything")).first)
        saved.optionalText = "changed"
        _ = Everything(context: context)
        #expect(try context.rows(of: Everything.self, \.optionalText) == ["a"])
    }
}
