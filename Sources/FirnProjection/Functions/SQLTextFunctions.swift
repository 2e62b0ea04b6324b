internal import FirnFoundation
internal import FirnSQLite
internal import Foundation

/// The orders of texts that SQL can sort by.
extension TextOrdering {
    /// The name of the collation.
    var collation: String {
        switch self {
        case .natural: "firn_text"
        // Renamed when its order changed, as an index is of the order that its collation had.
        case .caseInsensitive: "firn_text_folded"
        case .localized: "firn_text_l"
        case .localizedCaseInsensitive: "firn_text_lc"
        case .localizedStandard: "firn_text_ls"
        }
    }

    func order(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Int32 {
        if Self.isSame(left, right) { return 0 }
        if self == .natural, Self.isASCII(left), Self.isASCII(right) {
            return Self.compareBytes(left, right)
        }
        let order = compare(
            String(decoding: left, as: UTF8.self), String(decoding: right, as: UTF8.self))
        return Int32(order.rawValue)
    }

    private static func isSame(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
        left.count == right.count && compareBytes(left, right) == 0
    }

    private static func isASCII(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var seen: UInt8 = 0
        for byte in bytes { seen |= byte }
        return seen < 0x80
    }

    private static func compareBytes(
        _ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer
    ) -> Int32 {
        let count = min(left.count, right.count)
        if count > 0, let first = left.baseAddress, let second = right.baseAddress {
            let order = memcmp(first, second, count)
            if order != 0 { return order }
        }
        return left.count < right.count ? -1 : left.count > right.count ? 1 : 0
    }
}

/// The string operators of predicates as SQL functions. They call the same code as evaluation in memory.
enum SQLTextFunctions {
    private typealias TextOperator = (String, String, ComparisonOptions) throws -> Bool

    static func install(on connection: Connection) throws {
        for ordering in TextOrdering.allCases {
            try connection.addCollation(ordering.collation, ordering.order)
        }
        let operations: [(String, TextOperator)] = [
            ("firn_equal", { StringComparison.equal($0, $1, options: $2) }),
            ("firn_prefix", { StringComparison.hasPrefix($0, $1, options: $2) }),
            ("firn_suffix", { StringComparison.hasSuffix($0, $1, options: $2) }),
            ("firn_contains", { StringComparison.contains($0, $1, options: $2) }),
            ("firn_like", { StringComparison.isLike($0, $1, options: $2) }),
            ("firn_matches", { try StringComparison.matches($0, $1, options: $2) }),
        ]
        for (name, operation) in operations {
            try connection.addFunction(name, argumentCount: 3) { arguments in
                guard arguments.storageClass(0) == .text, arguments.storageClass(1) == .text else {
                    return .null
                }
                let options = ComparisonOptions(rawValue: UInt(arguments.integer(2)))
                return .integer(
                    try operation(arguments.text(0), arguments.text(1), options) ? 1 : 0)
            }
        }
        try connection.addFunction("firn_order", argumentCount: 3) { arguments in
            guard !arguments.isNull(0), !arguments.isNull(1) else { return .null }
            let options = ComparisonOptions(rawValue: UInt(arguments.integer(2)))
            let order = StringComparison.compare(
                arguments.text(0), arguments.text(1), options: options)
            return .integer(Int64(order.rawValue))
        }
        try installTokens(on: connection)
        try installTransformations(on: connection)
    }

    private static func installTokens(on connection: Connection) throws {
        // The search of the row before: a statement asks for the same in all rows.
        var known = TokenSearch("")
        func add(_ name: String, _ value: @escaping (TokenSearch, String) -> SQLiteValue) throws {
            try connection.addFunction(name, argumentCount: 3) { arguments in
                guard arguments.storageClass(0) == .text, arguments.storageClass(1) == .text else { return .null }
                let (text, options) = (arguments.text(1), ComparisonOptions(rawValue: UInt(arguments.integer(2))))
                if known.text != text || known.options != options { known = TokenSearch(text, options) }
                return value(known, arguments.text(0))
            }
        }
        try add("firn_token_matches") { .integer($0.isFound(in: $1) ? 1 : 0) }
        try add("firn_token_rank") { .real($0.rank(in: $1)) }
    }

    private static func installTransformations(on connection: Connection) throws {
        let transformations: [(String, (String) -> SQLiteValue)] = [
            ("firn_uppercase", { .text($0.uppercased()) }),
            ("firn_lowercase", { .text($0.lowercased()) }),
            (
                "firn_canonical",
                { .text($0.folding(options: [.caseInsensitive, .diacriticInsensitive], locale: nil)) }
            ),
            ("firn_tokens", { .text(TokenSearch.indexed($0)) }),
            ("firn_length", { .integer(Int64($0.utf16.count)) }),
            ("firn_characters", { .integer(Int64($0.count)) }),
        ]
        for (name, transform) in transformations {
            try connection.addFunction(name, argumentCount: 1) { arguments in
                arguments.isNull(0) ? .null : transform(arguments.text(0))
            }
        }
    }
}
