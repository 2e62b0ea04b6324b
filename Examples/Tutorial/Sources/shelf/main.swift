import CoreData

let words = Array(CommandLine.arguments.dropFirst())
let container = try openLibrary()

switch (words.first, words.count) {
case ("add", 4):
    try await add(words[1], by: words[2], pages: Int32(words[3]) ?? 0, to: container)
case ("finish", 2):
    try await finish(words[1], in: container)
case ("list", 1):
    try await list(container.newBackgroundContext())
case ("watch", 2):
    try await watch(container, count: Int(words[1]) ?? 1)
case ("past", 2):
    try await list(container.newContext(asOf: .sequence(SequenceNumber(UInt64(words[1]) ?? 0))))
case ("undo", 2):
    try await undo(Int64(words[1]) ?? 0, in: container)
default:
    print("usage: shelf COMMAND …, for example: shelf add TITLE AUTHOR PAGES")
}
