import CoreData
import Foundation
import ManagedBase
import Testing

@Suite("@NSManaged values")
struct ValueTests {
    @Test("scalars keep their values through a save")
    func scalars() throws {
        let context = try ManagedModel.container()
        let made = Everything(context: context)
        made.small = -3
        made.middle = 70_000
        made.large = .max
        made.plain = 42
        made.isOn = true
        made.double = 0.1
        made.float = 0.5
        made.interval = 1.25
        made.mood = .bad
        made.perhapsMood = .good
        made.kind = .two
        let (read, reader) = try ManagedModel.read(made)
        let found = try #require(read)
        #expect(found.small == -3 && found.middle == 70_000 && found.large == .max && found.plain == 42)
        #expect(found.isOn && found.double == 0.1 && found.float == 0.5 && found.interval == 1.25)
        #expect(found.mood == .bad && found.perhapsMood == .good && found.kind == .two)
        withExtendedLifetime((context, reader)) {}
    }

    @Test("objects keep their values through a save, in Swift's types and in Foundation's")
    func objects() throws {
        let context = try ManagedModel.container()
        let made = Everything(context: context)
        let date = Date(timeIntervalSinceReferenceDate: 10)
        let identifier = UUID()
        made.text = "a"
        made.optionalText = "b"
        made.objectiveText = "c"
        made.number = 7
        made.isPerhapsOn = true
        made.price = NSDecimalNumber(string: "1.10")
        made.amount = Decimal(string: "2.25") ?? 0
        made.date = date
        made.objectiveDate = date as NSDate
        made.data = Data([1, 2])
        made.objectiveData = Data([3]) as NSData
        made.identifier = identifier
        made.link = URL(string: "https://example.org")
        made.first = "1"
        made.second = "2"
        made.protocol = "keyword"
        made.all_the_words_of_Everything = "words"
        made.x2y = "xy"
        let (read, reader) = try ManagedModel.read(made)
        let found = try #require(read)
        #expect(found.text == "a" && found.optionalText == "b" && found.objectiveText == "c")
        #expect(found.number == 7 && found.isPerhapsOn == true)
        #expect(found.price == NSDecimalNumber(string: "1.10"))
        #expect(found.amount == Decimal(string: "2.25"))
        #expect(found.date == date && found.objectiveDate == date as NSDate)
        #expect(found.data == Data([1, 2]) && found.objectiveData == Data([3]) as NSData)
        #expect(found.identifier == identifier && found.link?.host == "example.org")
        #expect(found.first == "1" && found.second == "2" && found.protocol == "keyword")
        #expect(found.all_the_words_of_Everything == "words" && found.x2y == "xy")
        withExtendedLifetime((context, reader)) {}
    }

    @Test("transformable values are Swift's collections")
    func transformables() throws {
        let context = try ManagedModel.container()
        let made = Everything(context: context)
        made.tags = ["x", "y"]
        made.settings = ["loud": true, "name": "n"]
        made.counts = ["a": 1]
        made.names = ["a": "b"]
        made.thing = NSNumber(value: 3)
        let (read, reader) = try ManagedModel.read(made)
        let found = try #require(read)
        #expect(found.tags == ["x", "y"])
        #expect(found.settings?["name"] as? String == "n")
        #expect(found.settings?["loud"] as? Bool == true)
        #expect(found.counts == ["a": 1])
        #expect(found.names == ["a": "b"])
        #expect(found.thing == NSNumber(value: 3))
        withExtendedLifetime((context, reader)) {}
    }

    @Test("no value is nil, zero, false or empty")
    func nothing() throws {
        let context = try ManagedModel.container()
        let made = Everything(context: context)
        #expect(made.text == "" && made.optionalText == nil && made.small == 0 && !made.isOn)
        #expect(made.double == 0 && made.date == nil && made.tags == nil && made.perhapsMood == nil)
        #expect(made.anything == nil && made.object == nil && made.coding == nil && made.number == nil)
    }

    @Test("a date declared as seconds has those since 2001, and other numbers are converted")
    func converted() throws {
        let context = try ManagedModel.container()
        let made = Everything(context: context)
        #expect(made.seconds == 0 && made.wholeAsReal == 0 && made.flagAsWhole == 0)
        made.seconds = 86_400
        made.wholeAsReal = 7
        made.flagAsWhole = 1
        #expect(made.value(forKey: "seconds") as? Date == Date(timeIntervalSinceReferenceDate: 86_400))
        #expect(made.value(forKey: "wholeAsReal") as? Int == 7)
        #expect(made.value(forKey: "flagAsWhole") as? Bool == true)
        let (read, reader) = try ManagedModel.read(made)
        let found = try #require(read)
        #expect(found.seconds == 86_400 && found.wholeAsReal == 7 && found.flagAsWhole == 1)
        withExtendedLifetime((context, reader)) {}
    }

    @Test("setting nil removes a value")
    func removing() throws {
        let context = try ManagedModel.container()
        let made = Everything(context: context)
        made.optionalText = "x"
        made.optionalText = nil
        #expect(made.value(forKey: "optionalText") == nil)
    }

    @Test("a property is changed in place")
    func inPlace() throws {
        let context = try ManagedModel.container()
        let made = Everything(context: context)
        made.large += 5
        made.large *= 2
        made.text.append("abc")
        made[keyPath: \.plain] -= 1
        #expect(made.large == 10 && made.text == "abc" && made.plain == -1)
    }

    @Test("a change through an accessor is a change of the object")
    func tracking() throws {
        let context = try ManagedModel.container()
        let made = Everything(context: context)
        try context.save()
        made.optionalText = "new"
        #expect(made.changedValues() as? [String: String] == ["optionalText": "new"])
    }

    @Test("a private accessor of a primitive value tells nobody")
    func primitive() throws {
        let context = try ManagedModel.container()
        let made = Everything(context: context)
        try context.save()
        made.quietText = "quiet"
        #expect(made.text == "quiet" && made.changedValues().isEmpty)
        made.shownHidden = "h"
        #expect(made.value(forKey: "hidden") as? String == "h")
    }

    @Test("a property of a type that has no nothing traps without a value")
    func missing() async {
        await #expect(processExitsWith: .failure) {
            let context = try ManagedModel.container()
            _ = Everything(context: context).mood
        }
    }
}
