import FirnFoundation
import FirnLog
import FirnModel
import FirnProjection
import Foundation
import Testing

import class FirnFoundation.NSExpression
import class FirnFoundation.NSPredicate
import class FirnFoundation.NSSortDescriptor

@Suite("A fetch of dictionaries")
struct DictionaryTests {
    let fetch: FetchSample

    init() throws { fetch = try FetchSample() }

    private func expression(_ name: String, _ format: String) -> NSExpressionDescription {
        let description = NSExpressionDescription()
        description.name = name
        description.expression = NSExpression(format: format)
        return description
    }

    private func rows(
        _ entity: String, _ change: (NSFetchRequest<any NSFetchRequestResult>) -> Void
    ) throws -> [[PropertyValue]] {
        let request = fetch.request(entity)
        request.resultType = .dictionaryResultType
        change(request)
        let plan = try FetchPlan(request, schema: fetch.sample.schema)
        let count = try fetch.sample.projection.read { try $0.count(plan) }
        let rows = try fetch.sample.projection.read { try $0.dictionaries(plan).rows }
        #expect(count == rows.count)
        return rows
    }

    @Test("has the columns that were asked for, objects with their concrete entity")
    func columns() throws {
        let rows = try rows("Animal") {
            $0.propertiesToFetch = ["name", "owner", "owner.age"]
            $0.predicate = NSPredicate(format: "owner.name == 'Ada'")
            $0.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
        }
        let ada = PropertyValue.reference(
            ObjectKey(entity: fetch.sample.schema.named("Person"), primaryKey: 1))
        #expect(
            rows == [
                [.text("Rex"), ada, .integer(36)], [.text("Tweety"), ada, .integer(36)],
            ])
    }

    @Test("computes aggregates over all rows")
    func aggregates() throws {
        let rows = try rows("Person") {
            $0.propertiesToFetch = [
                expression("oldest", "max:(age)"), expression("all", "count:(SELF)"),
                expression("money", "sum:(money)"),
            ]
        }
        #expect(rows == [[.integer(50), .integer(3), .text("19.5")]])
    }

    @Test("computes collection operators of attributes over all rows, and over those of a group")
    func operators() throws {
        let columns = [
            expression("oldest", "@max.age"), expression("named", "name.@count"), expression("all", "@count"),
        ]
        let functions = [
            expression("oldest", "max:(age)"), expression("named", "count:(name)"), expression("all", "count:(SELF)"),
        ]
        let all = try [columns, functions].map { columns in try rows("Person") { $0.propertiesToFetch = columns } }
        #expect(all[0] == all[1])
        let grouped = try [columns, functions].map { columns in
            try rows("Animal") {
                $0.propertiesToFetch = ["owner", columns[1], columns[2]]
                $0.propertiesToGroupBy = ["owner"]
                $0.sortDescriptors = [NSSortDescriptor(key: "owner.name", ascending: true)]
            }
        }
        #expect(grouped[0] == grouped[1])
        #expect(throws: UnsupportedPredicate.self) {
            try rows("Person") { $0.propertiesToFetch = [expression("twice", "@sum.@sum.age")] }
        }
        #expect(throws: UnsupportedPredicate.self) {
            try rows("Person") { $0.predicate = NSPredicate(format: "@sum.age > 1") }
        }
    }

    @Test("groups, and keeps the groups that fulfil havingPredicate by an expression's name")
    func grouping() throws {
        let rows = try rows("Animal") {
            $0.propertiesToFetch = ["owner", expression("pets", "count:(SELF)")]
            $0.propertiesToGroupBy = ["owner"]
            $0.havingPredicate = NSPredicate(format: "pets > 1")
        }
        #expect(rows.map { $0[1] } == [.integer(2)])
    }

    @Test("takes the median and the deviation of numbers, also of decimals")
    func statistics() throws {
        let rows = try rows("Person") {
            $0.propertiesToFetch = [
                expression("median", "median:(age)"), expression("deviation", "stddev:(money)"),
            ]
        }
        #expect(rows == [[.real(36), .real(0.75)]])
    }

    @Test("refuses the mode, a list that no column holds")
    func mode() {
        let error = #expect(throws: UnsupportedPredicate.self) {
            try rows("Person") { $0.propertiesToFetch = [expression("mode", "mode:(age)")] }
        }
        #expect(error.map { "\($0)".contains("mode:") } == true)
    }

    @Test("returns equal dictionaries once if asked to")
    func distinct() throws {
        let rows = try rows("Animal") {
            $0.propertiesToFetch = ["owner"]
            $0.returnsDistinctResults = true
        }
        #expect(rows.count == 3)
    }

    @Test("refuses a to-many column, and a column that is not grouped")
    func refusals() {
        #expect(throws: UnsupportedPredicate.self) {
            try rows("Person") { $0.propertiesToFetch = ["pets"] }
        }
        #expect(throws: UnsupportedPredicate.self) {
            try rows("Animal") {
                $0.propertiesToFetch = ["name"]
                $0.propertiesToGroupBy = ["owner"]
            }
        }
    }
}
