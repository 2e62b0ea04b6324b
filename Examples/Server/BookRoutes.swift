#if Server && Service
import CoreData
import Hummingbird

extension BookAnswer: ResponseEncodable {}

/// `/books`: to list, create, read, update and delete.
struct BookRoutes {
    let container: NSPersistentContainer

    func add(to router: Router<LibraryContext>) {
        let books = router.group("books")
        books.get(use: list)
        books.post(use: create)
        books.get(":id", use: read)
        books.put(":id", use: update)
        books.delete(":id", use: delete)
    }

    @Sendable private func list(_ request: Request, _ context: LibraryContext) async throws -> [BookAnswer] {
        try await container.perform(for: context) { store in
            let request = NSFetchRequest<Book>(entityName: "Book")
            request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
            return try store.fetch(request).map(BookAnswer.init)
        }
    }

    @Sendable private func create(
        _ request: Request, _ context: LibraryContext
    ) async throws -> EditedResponse<BookAnswer> {
        let input = try await request.decode(as: BookInput.self, context: context)
        let answer = try await container.perform(for: context) { store in
            let book = Book(context: store)
            input.apply(to: book)
            try store.save()
            return BookAnswer(book)
        }
        return EditedResponse(status: .created, headers: [.location: "/books/\(answer.id)"], response: answer)
    }

    @Sendable private func read(_ request: Request, _ context: LibraryContext) async throws -> BookAnswer {
        let id = try context.parameters.require("id", as: ObjectID<Book>.self)
        return try await container.perform(for: context) { try BookAnswer($0.object(id)) }
    }

    @Sendable private func update(_ request: Request, _ context: LibraryContext) async throws -> BookAnswer {
        let id = try context.parameters.require("id", as: ObjectID<Book>.self)
        let input = try await request.decode(as: BookInput.self, context: context)
        return try await container.perform(for: context) { store in
            let book = try store.object(id)
            guard input.version == book.version else { throw BookConflict(current: BookAnswer(book)) }
            input.apply(to: book)
            book.version += 1
            do {
                try store.save()
            } catch CocoaError.managedObjectMerge {
                // Another request was faster than this one's save.
                store.reset()
                throw BookConflict(current: BookAnswer(try store.object(id)))
            }
            return BookAnswer(book)
        }
    }

    @Sendable private func delete(_ request: Request, _ context: LibraryContext) async throws -> HTTPResponse.Status {
        let id = try context.parameters.require("id", as: ObjectID<Book>.self)
        return try await container.perform(for: context) { store in
            store.delete(try store.object(id))
            try store.save()
            return .noContent
        }
    }
}
#endif
