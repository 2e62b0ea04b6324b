import CoreData

private enum Mood: String { case good, bad }

private class Entry: NSManagedObject {
    @NSManaged var text: String
    var mood: Mood { text.isEmpty ? .bad : .good }
}

func diaryTexts(_ text: String) throws -> [String] {
    let context = ownContext(of: Entry.self, NSStringFromClass(Entry.self), ["text"])
    let entry = Entry(context: context)
    entry.text = text
    try context.save()
    let request = NSFetchRequest<Entry>(entityName: "Entry")
    request.predicate = withVaList([text]) { NSPredicate(format: "text == %@", arguments: $0) }
    return try context.fetch(request).map { $0.text + " " + $0.mood.rawValue }
}

func diaryRequest<Result: NSFetchRequestResult>() -> NSFetchRequest<Result> { NSFetchRequest(entityName: "Entry") }

func diaryCounts(_ text: String) throws -> [Int] {
    let context = ownContext(of: Entry.self, NSStringFromClass(Entry.self), ["text"])
    Entry(context: context).text = text
    try context.save()
    let count = try context.count(for: diaryRequest())
    try context.execute(NSBatchDeleteRequest(fetchRequest: diaryRequest()))
    return [count, try context.count(for: diaryRequest())]
}

func diaryFormats(_ format: String, _ values: CVarArg...) -> [String] {
    func texts(_ list: CVaListPointer) -> [String] {
        [
            NSPredicate(format: format, arguments: list).predicateFormat,
            NSString(format: format, arguments: list) as String,
        ]
    }
    return withVaList(values, texts)
}
