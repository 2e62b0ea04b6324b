import Foundation

/// Types that no source of the package declares: the standard library's, Foundation's and Core Data's own.
///
/// Where Foundation's live is asked of the toolchain that built this tool, which is the one that builds the target.
enum KnownTypes {
    /// Letters of the standard library's types, `Si` for `Int`.
    static let standard: [String: Character] = [
        "String": "S", "Int": "i", "UInt": "u", "Bool": "b", "Double": "d", "Float": "f", "Array": "a",
        "Dictionary": "D", "Set": "h", "Optional": "q",
    ]

    static func name(_ letter: Character) -> String { standard.first { $0.value == letter }?.key ?? "" }

    static let aliases: [String: TypeSyntax] = [
        "TimeInterval": .named(["Double"], []), "Float64": .named(["Double"], []), "Float32": .named(["Float"], []),
    ]

    private static let integers = ["Int8", "Int16", "Int32", "Int64", "UInt8", "UInt16", "UInt32", "UInt64"]

    static func isNumber(_ name: String) -> Bool {
        integers.contains(name) || ["Int", "UInt", "Double", "Float"].contains(name)
    }

    /// The module and kind of a type by its name.
    static let others: [String: ResolvedType.Nominal] = {
        var result: [String: ResolvedType.Nominal] = [:]
        for name in integers {
            result[name] = .init(module: "Swift", path: [.init(name: name, kind: "V")])
        }
        let foundation: [(String, Any.Type)] = [
            ("Date", Date.self), ("Data", Data.self), ("UUID", UUID.self), ("URL", URL.self), ("Decimal", Decimal.self),
            ("IndexSet", IndexSet.self), ("Locale", Locale.self), ("TimeZone", TimeZone.self),
            ("DateComponents", DateComponents.self), ("AttributedString", AttributedString.self),
            ("CGFloat", CGFloat.self), ("CGPoint", CGPoint.self), ("CGSize", CGSize.self),
            ("CGRect", CGRect.self), ("NSObject", NSObject.self), ("NSNumber", NSNumber.self),
            ("NSDecimalNumber", NSDecimalNumber.self), ("NSString", NSString.self), ("NSDate", NSDate.self),
            ("NSData", NSData.self), ("NSUUID", NSUUID.self), ("NSURL", NSURL.self), ("NSArray", NSArray.self),
            ("NSDictionary", NSDictionary.self), ("NSSet", NSSet.self), ("NSOrderedSet", NSOrderedSet.self),
            ("NSMutableSet", NSMutableSet.self), ("NSMutableOrderedSet", NSMutableOrderedSet.self),
            ("NSMutableArray", NSMutableArray.self), ("NSMutableDictionary", NSMutableDictionary.self),
            ("NSIndexSet", NSIndexSet.self), ("NSValue", NSValue.self), ("NSNull", NSNull.self),
            ("NSAttributedString", NSAttributedString.self), ("NSCoding", (any NSCoding).self),
            ("NSLocale", NSLocale.self), ("NSTimeZone", NSTimeZone.self), ("NSError", NSError.self),
        ]
        for (name, type) in foundation {
            if let nominal = nominal(mangled: _mangledTypeName(type) ?? "") { result[name] = nominal }
        }
        let model = ["NSManagedObjectID", "NSEntityDescription", "NSFetchRequestResult"]
        for name in model {
            let kind = name == "NSFetchRequestResult" ? "P" : "C"
            result[name] = .init(module: "FirnModel", path: [.init(name: name, kind: kind)])
        }
        for name in ["NSManagedObject", "NSManagedObjectContext"] {
            result[name] = .init(module: "Firn", path: [.init(name: name, kind: "C")])
        }
        return result
    }()

    /// `10Foundation8NSNumberC`: a module, a name and a kind; `_p` for a protocol.
    private static func nominal(mangled: String) -> ResolvedType.Nominal? {
        var rest = Substring(mangled)
        func identifier() -> String? {
            let digits = rest.prefix { $0.isNumber }
            guard let count = Int(digits), count > 0 else { return nil }
            rest = rest.dropFirst(digits.count)
            defer { rest = rest.dropFirst(count) }
            return String(rest.prefix(count))
        }
        guard let module = identifier(), let name = identifier() else { return nil }
        if rest == "V" || rest == "C" || rest == "O" {
            return .init(module: module, path: [.init(name: name, kind: String(rest))])
        }
        return rest == "_p" ? .init(module: module, path: [.init(name: name, kind: "P")]) : nil
    }
}
