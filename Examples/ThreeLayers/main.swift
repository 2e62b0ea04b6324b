// A stack of three layers, merged by notification, without a run loop: the main queue is served by `dispatchMain`.
//
//     swift run ThreeLayers [FOLDER]
import CoreData
import Foundation

let folder = CommandLine.arguments.dropFirst().first ?? NSTemporaryDirectory()
let stack = openStack()

func openStack() -> Stack {
    do { return try Stack(folder: URL(fileURLWithPath: folder, isDirectory: true)) } catch { stop(error) }
}

/// Ends the program with a sentence. An application would show it and go on.
@Sendable func stop(_ error: any Error) -> Never {
    try? FileHandle.standardError.write(contentsOf: Data("ThreeLayers: \(error.localizedDescription)\n".utf8))
    exit(1)
}

/// What a reader sees, by its own fetch.
func texts() throws -> [String] {
    let request = NSFetchRequest<Note>(entityName: "Note")
    request.sortDescriptors = [NSSortDescriptor(keyPath: \Note.text, ascending: true)]
    return try stack.reader.fetch(request).compactMap(\.text)
}

func check(_ what: String) {
    stack.reader.perform {
        do {
            print("\(what): \(try texts())")
            DispatchQueue.main.async(execute: next)
        } catch {
            stop(error)
        }
    }
}

func save(then what: String) {
    stack.save { error in
        if let error { stop(error) }
        check(what)
    }
}

let steps: [@MainActor () throws -> Void] = [
    {
        for text in ["one", "two", "three"] { Note(context: stack.main).text = text }
        save(then: "inserted")
    },
    {
        let request = NSFetchRequest<Note>(entityName: "Note")
        request.predicate = NSPredicate(format: "text == 'two'")
        for note in try stack.main.fetch(request) {
            note.text = "2"
            note.edited = Date()
        }
        save(then: "updated")
    },
    {
        let request = NSFetchRequest<Note>(entityName: "Note")
        for note in try stack.main.fetch(request) where note.edited == nil { stack.main.delete(note) }
        save(then: "deleted")
    },
    {
        for note in try stack.main.fetch(NSFetchRequest<Note>(entityName: "Note")) { stack.main.delete(note) }
        save(then: "empty again")
    },
]
nonisolated(unsafe) var step = 0

@Sendable func next() {
    guard step < steps.count else { exit(0) }
    step += 1
    let work = steps[step - 1]
    MainActor.assumeIsolated {
        do { try work() } catch { stop(error) }
    }
}

DispatchQueue.main.async(execute: next)
dispatchMain()
