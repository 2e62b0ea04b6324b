import CoreData

let words = Array(CommandLine.arguments.dropFirst())
do { try await run(openLibrary()) } catch {
    print("shelf: \(error.localizedDescription)")
    exit(1)
}

func run(_ container: NSPersistentContainer) async throws {
    switch (words.first, words.count) {
    case ("add", 4):
        try await add(words[1], by: words[2], pages: number(words[3]), to: container)
    case ("finish", 2):
        try await finish(words[1], in: container)
    case ("list", 1):
        try await list(container.newBackgroundContext())
    case ("watch", 2):
        try await watch(container, count: number(words[1]))
    case ("past", 2):
        try await list(container.newContext(asOf: .sequence(SequenceNumber(number(words[1])))))
    case ("undo", 2):
        try await undo(number(words[1]), in: container)
    default:
        print("usage: shelf COMMAND …, for example: shelf add TITLE AUTHOR PAGES")
    }
}

func number<N: FixedWidthInteger>(_ word: String) throws -> N {
    guard let number = N(word) else { throw Mistake("“\(word)” is no number here") }
    return number
}
