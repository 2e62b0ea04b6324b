import Firn
import FirnModel
import Foundation
import StoreSupport
import TestSupport
import Testing

/// Dictionary requests of one shape share their SQL. Each has its own columns, values, order, window and duplicates.
@Suite("Dictionary requests that are asked again")
struct RepeatedDictionaryTests {
    private struct Question: Sendable {
        var columns: [String] = []
        var isDistinct = false
        var ageMin = 0
        var isAscending = true
        var limit = 0
        var offset = 0
    }

    @Test("answer each for itself, whatever was asked before")
    func answers() throws {
        let coordinator = try Library.inMemory()
        let context = coordinator.context()
        for age in 0..<8 { _ = context.make("Author", ["name": "A\(age / 2)", "age": age]) }
        try context.save()
        var questions: [Question] = []
        for columns in [["name"], ["age"], ["name", "age"], ["age", "name"]] {
            for ageMin in [0, 3, 7] {
                for (isDistinct, isAscending) in [(false, true), (true, true), (false, false)] {
                    for (limit, offset) in [(0, 0), (2, 0), (3, 1)] {
                        questions.append(
                            Question(
                                columns: columns, isDistinct: isDistinct, ageMin: ageMin, isAscending: isAscending,
                                limit: limit, offset: offset))
                    }
                }
            }
        }
        var generator = SeededGenerator()
        for question in questions.shuffled(using: &generator) + questions.shuffled(using: &generator) {
            #expect(try answer(question, context) == expected(question), "\(question), \(generator)")
        }
    }

    private func answer(_ question: Question, _ context: NSManagedObjectContext) throws -> [String] {
        let request = NSFetchRequest<NSDictionary>(entityName: "Author")
        request.resultType = .dictionaryResultType
        request.propertiesToFetch = question.columns
        request.returnsDistinctResults = question.isDistinct
        request.predicate = NSPredicate(format: "age >= %d", question.ageMin)
        request.sortDescriptors = [
            NSSortDescriptor(key: question.columns.contains("age") ? "age" : "name", ascending: question.isAscending)
        ]
        (request.fetchLimit, request.fetchOffset) = (question.limit, question.offset)
        return try context.fetch(request).map { row in
            question.columns.map { "\($0)=\(row[$0] ?? "nil")" }.joined(separator: " ")
        }
    }

    private func expected(_ question: Question) -> [String] {
        let ages = (question.ageMin..<8).map { $0 }
        var rows = (question.isAscending ? ages : ages.reversed()).map { age in
            question.columns.map { $0 == "age" ? "age=\(age)" : "name=A\(age / 2)" }.joined(separator: " ")
        }
        if question.isDistinct {
            var seen: Set<String> = []
            rows = rows.filter { seen.insert($0).inserted }
        }
        rows = Array(rows.dropFirst(question.offset))
        return question.limit > 0 ? Array(rows.prefix(question.limit)) : rows
    }
}
