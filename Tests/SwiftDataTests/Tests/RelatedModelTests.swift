import Foundation
import SwiftData
import Testing

@Model
private final class Link {
    var number: Int
    var next: Link?
    @Relationship(inverse: \Link.next) var before: [Link] = []

    init(_ number: Int) { self.number = number }
}

@Model
private class Folder {
    var zone = ""
    var copy = 0
    var entity: String?
    var `class`: Int = 1
    @Relationship(inverse: \Sheet.folder) var sheets: [Sheet] = []
    @Relationship(.ordered, inverse: \Leaf.folder) var pages: [Leaf] = []
    @Relationship(inverse: \Sticker.folders) var labels: [Sticker] = []

    init() {}
}

@Model
private final class Binder: Folder {
    var rings = 2

    override init() { super.init() }
}

@Model
private final class Sheet {
    var number: Int
    var folder: Folder?

    init(_ number: Int, _ folder: Folder? = nil) {
        self.number = number
        self.folder = folder
    }
}

@Model
private final class Leaf {
    var number: Int
    var folder: Folder?

    init(_ number: Int) { self.number = number }
}

@Model
private final class Sticker {
    var number: Int
    var folders: [Folder] = []

    init(_ number: Int) { self.number = number }
}

private class Plain {
    var note = "plain"
    init() {}
}

@Model
private final class Described: Plain {
    var number: Int

    init(number: Int) {
        self.number = number
        super.init()
    }
}

@Suite("Models that are related one after the other")
struct RelatedModelTests {
    private let container: ModelContainer
    private let context: ModelContext

    init() throws {
        let memory = ModelConfiguration(isStoredInMemoryOnly: true)
        container = try ModelContainer(for: Binder.self, Link.self, Described.self, configurations: memory)
        context = ModelContext(container)
    }

    @Test("appended, moved and removed ones are there in a context and before it", arguments: [true, false])
    func edits(isInserted: Bool) throws {
        let folder = Folder()
        if isInserted { context.insert(folder) }
        for number in 0..<20 {
            folder.sheets.append(Sheet(number))
            folder.pages.append(Leaf(number))
            folder.labels.append(Sticker(number))
        }
        folder.sheets.removeLast()
        folder.sheets.remove(at: 3)
        folder.sheets.append(folder.sheets[0])
        folder.pages.swapAt(0, 18)
        folder.pages.insert(Leaf(20), at: 1)
        folder.pages.remove(at: 5)
        folder.labels.removeAll { $0.number % 2 == 0 }
        let sheets = Set(0..<19).subtracting([3])
        let pages = [18, 20, 1, 2, 3, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 0, 19]
        #expect(Set(folder.sheets.map(\.number)) == sheets)
        #expect(folder.sheets.allSatisfy { $0.folder === folder })
        #expect(folder.pages.map(\.number) == pages)
        #expect(folder.labels.map(\.number) == Array(stride(from: 1, to: 20, by: 2)))
        if !isInserted { context.insert(folder) }
        try context.save()
        let saved = try #require(try ModelContext(container).fetch(FetchDescriptor<Folder>()).first)
        #expect(saved.sheets.map(\.number) == sheets.sorted())
        #expect(saved.pages.map(\.number) == pages)
        #expect(saved.labels.map(\.number) == Array(stride(from: 1, to: 20, by: 2)))
        #expect(saved.labels.allSatisfy { $0.folders == [saved] })
    }

    enum Time: CaseIterable { case outside, inserted, saved }

    @Test("A list of models that is edited in place has the models of a plain set", arguments: Time.allCases)
    func randomEdits(time: Time) throws {
        let (folder, sheets, stickers) = (Folder(), (0..<12).map { Sheet($0) }, (0..<12).map { Sticker($0) })
        if time != .outside {
            context.insert(folder)
            sheets.forEach(context.insert)
            stickers.forEach(context.insert)
        }
        var (plainSheets, plainStickers): (Set<Int>, Set<Int>) = ([], [])
        for step in 0..<300 {
            if time == .saved, step % 50 == 0 { try context.save() }
            // Steps that repeat each other in no order, the same in each run.
            let (edit, index) = (step * step / 7 % 5, step * 5 / 3 % 12)
            switch edit {
            case 0, 1:
                folder.sheets.append(sheets[index])
                folder.labels.append(stickers[index])
                plainSheets.insert(index)
                plainStickers.insert(index)
            case 2 where !folder.sheets.isEmpty && !folder.labels.isEmpty:
                plainSheets.remove(folder.sheets.removeLast().number)
                plainStickers.remove(folder.labels.removeFirst().number)
            case 3:
                folder.sheets.removeAll { $0 === sheets[index] }
                folder.labels.removeAll { $0 === stickers[index] }
                plainSheets.remove(index)
                plainStickers.remove(index)
            default:
                sheets[index].folder = folder
                stickers[index].folders = []
                plainSheets.insert(index)
                plainStickers.remove(index)
            }
            #expect(Set(folder.sheets.map(\.number)) == plainSheets, "step \(step)")
            #expect(Set(folder.labels.map(\.number)) == plainStickers, "step \(step)")
            #expect(Set(sheets.filter { $0.folder === folder }.map(\.number)) == plainSheets, "step \(step)")
            #expect(Set(stickers.filter { !$0.folders.isEmpty }.map(\.number)) == plainStickers, "step \(step)")
        }
    }

    @Test("An append to a list of models copies none of the others", arguments: [true, false])
    func appends(isInserted: Bool) throws {
        let folder = Folder()
        if isInserted { context.insert(folder) }
        func place() -> Int {
            let sheets = folder.sheets.withUnsafeMutableBufferPointer { UInt(bitPattern: $0.baseAddress) }
            let labels = folder.labels.withUnsafeMutableBufferPointer { UInt(bitPattern: $0.baseAddress) }
            return Int(sheets ^ labels)
        }
        func append(_ number: Int) {
            folder.sheets.append(Sheet(number))
            folder.labels.append(Sticker(number))
        }
        (0..<20).forEach(append)
        folder.sheets.reserveCapacity(64)
        folder.labels.reserveCapacity(64)
        let first = place()
        for number in 20..<40 {
            append(number)
            #expect(place() == first, "after \(number)")
        }
        #expect(folder.sheets.map(\.number) == Array(0..<40))
        #expect(folder.labels.map(\.number) == Array(0..<40))
    }

    @Test("those that an initializer relates are members once, whoever is inserted first", arguments: [true, false])
    func initializers(parentFirst: Bool) throws {
        let folder = Folder()
        let sheets = (0..<50).map { Sheet($0, folder) }
        if parentFirst { context.insert(folder) }
        for sheet in sheets { context.insert(sheet) }
        #expect(folder.sheets.map(\.number) == Array(0..<50))
        try context.save()
        #expect(try ModelContext(container).fetch(FetchDescriptor<Folder>()).first?.sheets.count == 50)
    }

    @Test("a member that joins another model leaves the first")
    func moves() throws {
        let (first, second) = (Folder(), Folder())
        let sheets = (0..<10).map { Sheet($0) }
        first.sheets = sheets
        second.sheets.append(sheets[4])
        sheets[5].folder = second
        #expect(first.sheets.map(\.number) == [0, 1, 2, 3, 6, 7, 8, 9])
        context.insert(first)
        context.insert(second)
        second.sheets.append(contentsOf: first.sheets.prefix(2))
        #expect(first.sheets.map(\.number) == [2, 3, 6, 7, 8, 9])
        #expect(Set(second.sheets.map(\.number)) == [0, 1, 4, 5])
    }

    @Test("a chain of models is inserted with its first")
    func chain() throws {
        let nodes = (0..<2_000).map { Link($0) }
        for (node, next) in zip(nodes, nodes.dropFirst()) { node.next = next }
        context.insert(nodes[0])
        try context.save()
        #expect(try ModelContext(container).fetchCount(FetchDescriptor<Link>()) == 2_000)
    }

    @Test("properties may have names that only Objective-C's objects have, and `is` holds next to them")
    func names() throws {
        let folder = Folder()
        (folder.zone, folder.copy, folder.entity, folder.class) = ("a", 2, "b", 3)
        context.insert(folder)
        context.insert(Binder())
        try context.save()
        let found = try ModelContext(container).fetch(
            FetchDescriptor<Folder>(predicate: #Predicate { $0.zone == "a" && $0.entity == "b" && $0.copy == 2 }))
        #expect(found.map(\.class) == [3])
        let binders = FetchDescriptor<Folder>(predicate: #Predicate { $0 is Binder })
        for context in [context, ModelContext(container)] { #expect(try context.fetchCount(binders) == 1) }
    }

    @Test("a model whose superclass is no model has the superclass's init()")
    func plainSuperclass() throws {
        context.insert(Described(number: 7))
        try context.save()
        let found = try #require(try ModelContext(container).fetch(FetchDescriptor<Described>()).first)
        #expect(found.number == 7)
        #expect(found.note == "plain")
    }

    @Test("an identifier from before the save, or of no store, gives a model that has it")
    func unknownIdentifiers() throws {
        let folder = Folder()
        context.insert(folder)
        let temporary = folder.persistentModelID
        #expect(context.model(for: temporary) === folder)
        try context.save()
        let foreign = try PersistentIdentifier.identifier(for: "elsewhere", entityName: "Folder", primaryKey: 1)
        for identifier in [temporary, foreign] {
            let model = context.model(for: identifier)
            #expect(model.persistentModelID == identifier)
            #expect(model is Folder)
            #expect(model.modelContext == nil)
            #expect(context.model(for: identifier) === model)
            #expect(context.registeredModel(for: identifier) as Folder? == nil)
            #expect(context.existingModel(for: identifier) == nil)
        }
        #expect(!context.hasChanges)
    }
}
