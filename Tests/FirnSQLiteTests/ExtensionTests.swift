import FirnSQLite
import Testing

@Suite("What a connection adds to SQL")
struct ExtensionTests {
    @Test("a value list stands for an IN of 100,000 integers")
    func longIntegerList() throws {
        let connection = try Connection(.memory)
        let count = try connection.withStatement(
            "SELECT count(*) FROM (SELECT 5 AS a UNION SELECT 100001) "
                + "WHERE a IN (SELECT value FROM firn_values(?1))"
        ) { statement in
            try statement.bind(ValueList((1...100_000).map(Int64.init)), at: 1)
            _ = try statement.step()
            return statement.integer(0)
        }
        #expect(count == 1)
    }

    @Test("a value list keeps its order and its values")
    func mixedList() throws {
        let connection = try Connection(.memory)
        let values: [SQLiteValue] = [.text("a\0b"), .null, .real(1.5), .blob([]), .integer(-1)]
        let back = try connection.withStatement(
            "SELECT value FROM firn_values(?1) ORDER BY rowid"
        ) { statement in
            try statement.bind(ValueList(values), at: 1)
            var back: [SQLiteValue] = []
            while try statement.step() { back.append(statement.value(0)) }
            return back
        }
        #expect(back == values)
    }

    @Test("a value list that was not bound is empty")
    func unboundList() throws {
        let connection = try Connection(.memory)
        #expect(try connection.integer("SELECT count(*) FROM firn_values(?1)") == 0)
    }

    @Test("a row source gives its rows in order, as many columns as it is asked for", arguments: [1, 16, 17, 1_999])
    func rowSource(columnCount: Int) throws {
        let connection = try Connection(.memory)
        let numbers = (0..<100).map(Int64.init)
        let last = columnCount - 1
        let source = try connection.rowSource(columnCount: columnCount)
        try connection.execute("CREATE TABLE t(a, b)")
        let insert = try connection.prepare("INSERT INTO t SELECT c0, c\(last) FROM \(source)(?1)")
        // The second run has other rows, and the third has none left from it.
        for count in [100, 3, 0] {
            try numbers.withUnsafeBufferPointer { numbers in
                var columns = [ColumnPointer](repeating: ColumnPointer(.null), count: columnCount)
                columns[0] = ColumnPointer(.integers(numbers))
                if last > 0 { columns[last] = ColumnPointer(.constant(7)) }
                try insert.run(rows: columns, count: count, at: 1)
            }
        }
        let sevens = last > 0 ? 103 * 7 : 4950 + 3
        #expect(try connection.integer("SELECT count(*) FROM t") == 103)
        #expect(try connection.integer("SELECT sum(a) FROM t") == 4950 + 3)
        #expect(try connection.integer("SELECT sum(b) FROM t") == Int64(sevens))
        #expect(try connection.text("SELECT group_concat(a) FROM t WHERE rowid > 98") == "98,99,0,1,2")
    }

    @Test("a row source without rows is empty")
    func unboundRowSource() throws {
        let connection = try Connection(.memory)
        let source = try connection.rowSource(columnCount: 2)
        #expect(try connection.integer("SELECT count(*) FROM \(source)(?1)") == 0)
    }

    @Test("a registered function computes, and its error ends the statement")
    func function() throws {
        struct Refused: Error, CustomStringConvertible { var description: String { "refused" } }
        let connection = try Connection(.memory)
        try connection.addFunction("twice", argumentCount: 1) { arguments in
            guard !arguments.isNull(0) else { throw Refused() }
            return .text(arguments.text(0) + arguments.text(0))
        }
        #expect(try connection.text("SELECT twice('a\u{e9}')") == "a\u{e9}a\u{e9}")
        let error = #expect(throws: SQLiteError.self) {
            try connection.text("SELECT twice(NULL)")
        }
        #expect(error?.message == "refused")
    }

    @Test("a registered aggregate has a state for each group, also for none")
    func aggregate() throws {
        final class Product: AggregateState {
            var value: Int64 = 1
            func step(_ arguments: FunctionArguments) { value *= arguments.integer(0) }
            func result() -> SQLiteValue { .integer(value) }
        }
        let connection = try Connection(.memory)
        try connection.addAggregate("product", argumentCount: 1) { Product() }
        try connection.execute("CREATE TABLE t(k, v); INSERT INTO t VALUES (1,2),(1,3),(2,7)")
        let groups = try connection.withStatement("SELECT product(v) FROM t GROUP BY k ORDER BY k") {
            var groups: [Int64] = []
            while try $0.step() { groups.append($0.integer(0)) }
            return groups
        }
        #expect(groups == [6, 7])
        #expect(try connection.integer("SELECT product(v) FROM t WHERE k = 9") == 1)
    }

    @Test("a registered collation orders texts")
    func collation() throws {
        let connection = try Connection(.memory)
        try connection.addCollation("by_length") { left, right in
            Int32(left.count - right.count)
        }
        let first = try connection.text(
            "SELECT a FROM (SELECT 'ccc' AS a UNION ALL SELECT 'z') ORDER BY a COLLATE by_length")
        #expect(first == "z")
    }
}
