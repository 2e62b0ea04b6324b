import CoreData
import Foundation
import ManagedBase
import Testing

@Suite("@NSManaged relationships and classes")
struct RelationshipTests {
    private func shelf(_ count: Int) throws -> (NSManagedObjectContext, Shelf, [Book]) {
        let context = try ManagedModel.container()
        let books = (0..<count).map { index in
            let book = Book(context: context)
            book.title = "\(index)"
            return book
        }
        return (context, Shelf(context: context), books)
    }

    @Test("a set of objects is read, replaced and changed in place, and the inverse follows")
    func sets() throws {
        let (context, shelf, books) = try shelf(3)
        #expect(shelf.books == [] && shelf.certainBooks.isEmpty)
        shelf.books = [books[0], books[1]]
        shelf.books?.insert(books[2])
        shelf.certainBooks.insert(books[0])
        #expect(shelf.books == Set(books) && books[2].shelf === shelf)
        #expect(shelf.certainBooks == [books[0]] && books[0].certainShelf === shelf)
        books[1].shelf = nil
        #expect(shelf.books == [books[0], books[2]])
        withExtendedLifetime(context) {}
    }

    @Test("A set that is edited in place and from the other side has the members of a plain set")
    func randomEdits() throws {
        let (context, shelf, books) = try shelf(12)
        var plain: Set<Book> = []
        for step in 0..<300 {
            // Steps that repeat each other in no order, the same in each run.
            let book = books[step * 5 / 3 % 12]
            switch step * step / 7 % 5 {
            case 0, 1:
                shelf.books?.insert(book)
                plain.insert(book)
            case 2:
                shelf.books?.remove(book)
                plain.remove(book)
            case 3:
                book.shelf = nil
                plain.remove(book)
            default:
                book.shelf = shelf
                plain.insert(book)
            }
            if step % 60 == 0 { try context.save() }
            #expect(shelf.books == plain && Set(books.filter { $0.shelf === shelf }) == plain, "step \(step)")
        }
    }

    @Test("addTo and removeFrom change a set by one object and by many")
    func methods() throws {
        let (context, shelf, books) = try shelf(3)
        shelf.addToPlainBooks(books[0])
        shelf.addToPlainBooks(NSSet(array: [books[1], books[2]]))
        #expect(shelf.plainBooks == NSSet(array: books) && books[1].plainShelf === shelf)
        shelf.removeFromPlainBooks(books[0])
        shelf.removeFromPlainBooks(NSSet(array: [books[1]]))
        #expect(shelf.plainBooks == NSSet(array: [books[2]]) && books[0].plainShelf == nil)
        withExtendedLifetime(context) {}
    }

    @Test("an ordered relationship is changed by place")
    func ordered() throws {
        let (context, shelf, books) = try shelf(5)
        func titles() -> [String] { (shelf.sortedBooks?.array ?? []).compactMap { ($0 as? Book)?.title } }
        shelf.addToSortedBooks(books[0])
        shelf.addToSortedBooks(NSOrderedSet(array: [books[1], books[2]]))
        #expect(titles() == ["0", "1", "2"])
        shelf.insertIntoSortedBooks(books[3], at: 1)
        #expect(titles() == ["0", "3", "1", "2"])
        shelf.removeFromSortedBooks(at: 0)
        #expect(titles() == ["3", "1", "2"])
        shelf.replaceSortedBooks(at: 1, with: books[4])
        #expect(titles() == ["3", "4", "2"])
        shelf.insertIntoSortedBooks([books[0], books[1]], at: NSIndexSet(indexesIn: NSRange(location: 0, length: 2)))
        #expect(titles() == ["0", "1", "3", "4", "2"])
        shelf.removeFromSortedBooks(at: NSIndexSet(indexesIn: NSRange(location: 1, length: 3)))
        #expect(titles() == ["0", "2"])
        shelf.replaceSortedBooks(at: NSIndexSet(index: 1), with: [books[4]])
        #expect(titles() == ["0", "4"])
        shelf.removeFromSortedBooks(books[0])
        shelf.removeFromSortedBooks(NSOrderedSet(array: [books[4]]))
        #expect(titles() == [])
        withExtendedLifetime(context) {}
    }

    @Test("an ordered relationship may be declared as an array")
    func arrays() throws {
        let (context, shelf, books) = try shelf(2)
        shelf.listedBooks = [books[1], books[0]]
        #expect(shelf.listedBooks == [books[1], books[0]])
        withExtendedLifetime(context) {}
    }

    @Test("a class below another module's class has both's properties, and an extension's of a third place")
    func inheritance() throws {
        let context = try ManagedModel.container()
        let manager = Manager(context: context)
        manager.name = "Ada"
        manager.nickname = "A"
        manager.visit()
        manager.salary = 2.5
        manager.team = "t"
        manager.motto = "m"
        let employee = Employee(context: context)
        employee.boss = manager
        let (read, reader) = try ManagedModel.read(manager)
        let found = try #require(read)
        #expect(found.name == "Ada" && found.nickname == "A" && (found as Person).nickname == "A")
        #expect(found.visits == 1 && found.salary == 2.5 && found.team == "t" && found.motto == "m")
        #expect(employee.boss === manager)
        withExtendedLifetime((context, reader)) {}
    }

    @Test("a key path names its property, of the class itself and of its subclasses")
    func keyPaths() {
        #expect(NSSortDescriptor(keyPath: \Everything.text, ascending: true).key == "text")
        #expect(NSSortDescriptor(keyPath: \Person.born, ascending: true).key == "born")
        #expect(NSSortDescriptor(keyPath: \Employee.salary, ascending: true).key == "salary")
        #expect(NSSortDescriptor(keyPath: \Manager.salary, ascending: true).key == "salary")
        #expect(NSSortDescriptor(keyPath: \Person.motto, ascending: true).key == "motto")
    }

    @Test("a key path of any type names its property where code asks the standard library")
    func namesInStandardLibrary() {
        #expect((\Person.born as AnyKeyPath)._kvcKeyPathString == "born")
        #expect((\Everything.text as AnyKeyPath)._kvcKeyPathString == "text")
    }

    @Test("a fetch sorts by a key path")
    func sorting() throws {
        let (context, _, books) = try shelf(3)
        let request = NSFetchRequest<Book>(entityName: "Book")
        request.sortDescriptors = [NSSortDescriptor(keyPath: \Book.title, ascending: false)]
        #expect(try context.fetch(request) == books.reversed())
    }

    @Test("a property that the model does not have traps and says so")
    func unknown() async {
        await #expect(processExitsWith: .failure) {
            let context = try ManagedModel.container()
            _ = Employee(context: context).managedValue("nowhere") as String
        }
    }
}
