/// What the modules' structure may have, and what words are not used. The limits only shrink.
enum StructureRules {
    /// How many folders of a module may form a circle; none where the module is not listed.
    static let circleLimits = ["Firn": 3, "FirnModel": 3, "SwiftData": 3]

    static let modules = [
        "CoreData", "CoreDataExtras", "CoreDataTesting", "Firn", "FirnFoundation", "FirnImport", "FirnInspection",
        "FirnLog", "FirnModel", "FirnPostgres", "FirnProjection", "FirnRuntime", "FirnSQLite", "FirnServer",
        "FirnService", "FirnStore", "SwiftData", "SwiftDataMacros",
    ]

    static func circle(_ module: String, _ graph: FolderGraph, limits: [String: Int] = circleLimits) -> [String] {
        let circle = graph.largestCircle
        let limit = limits[module] ?? 0
        if circle.count > limit {
            let names = circle.joined(separator: ", ")
            return ["\(module): \(circle.count) folders form a circle, \(limit) may: \(names)"]
        }
        if circle.count == limit { return [] }
        return ["\(module): \(circle.count) folders form a circle; lower the limit \(limit)"]
    }

    /// The folders of a module, lowest first: each names types of its own line and of those before it.
    static let folderOrder = [
        "Firn": [
            ["Object", "Context", "Coordinator"], ["Notifications"], ["Fetching"], ["Merging"], ["Save"], ["Stores"],
            ["Batches"], ["History"], ["Feeds"], ["Container"], ["Migration"], ["Results"],
        ]
    ]

    static func order(
        _ module: String, _ graph: FolderGraph, orders: [String: [[String]]] = folderOrder
    ) -> [String] {
        guard let order = orders[module] else { return [] }
        let places = Dictionary(
            uniqueKeysWithValues: order.enumerated().flatMap { place, line in line.map { ($0, place) } })
        var findings = graph.folders.subtracting(["."]).subtracting(places.keys).sorted().map {
            "\(module): the folder \($0) has no place in the order"
        }
        for (folder, named) in graph.edges {
            guard let place = places[folder] else { continue }
            for (other, types) in named where places[other].map({ $0 > place }) ?? false {
                let types = types.sorted().joined(separator: ", ")
                findings.append("\(module): \(folder) is below \(other), and names its \(types)")
            }
        }
        return findings.sorted()
    }

    /// How many lines a module may have, so that what knows no objects does not come back to where objects are.
    static let lineLimits = ["Firn": 19_177]
    /// A limit that is further above its module than this is lowered.
    private static let lineSlackMax = 500

    static func lines(_ module: String, _ files: [SourceTree.File], limits: [String: Int] = lineLimits) -> [String] {
        guard let limit = limits[module] else { return [] }
        let count = files.filter { $0.path.hasPrefix("Sources/\(module)/") }.reduce(0) { $0 + $1.lines.count }
        if count > limit {
            return ["\(module): \(count) lines, \(limit) at most: move what knows no objects to a module below"]
        }
        return limit - count > lineSlackMax ? ["\(module): \(count) lines; lower the limit \(limit)"] : []
    }

    /// How many unsafe constructs a folder may have. `FirnRuntime` is where they belong; `FirnSQLite`, `FirnPostgres`
    /// and the log's bytes wrap C.
    static let unsafeLimits = [
        "Sources/CoreData": 1, "Sources/Firn/Context": 14,
        "Sources/Firn/Object": 23, "Sources/FirnFoundation/Values": 1,
        "Sources/FirnLog/Concurrency": 1, "Sources/FirnProjection/Reading": 2,
        "Sources/SwiftData/Fetching": 2,
    ]

    private static let unsafePlaces = [
        "Sources/FirnRuntime/", "Sources/FirnSQLite/", "Sources/FirnPostgres/", "Sources/FirnLog/Coding/",
        "Sources/FirnLog/Bytes/",
    ]

    private static let unsafeConstructs = [
        "@exclusivity(unchecked)", "unsafeBitCast", "nonisolated(unsafe)", "Unmanaged<", "_withUnsafeGuaranteedRef",
        "UnsafeRawPointer", "UnsafeMutableRawPointer", "OpaquePointer",
    ]

    static func unsafeConstructs(_ files: [SourceTree.File], limits: [String: Int] = unsafeLimits) -> [String] {
        var counts: [String: Int] = [:]
        for file in files where file.path.hasPrefix("Sources/") && !unsafePlaces.contains(where: file.path.hasPrefix) {
            let code = SwiftText.code(of: file.text)
            let count = unsafeConstructs.reduce(0) { $0 + code.ranges(of: $1).count }
            let folder = file.path.split(separator: "/").dropLast().prefix(3).joined(separator: "/")
            if count > 0 { counts[folder, default: 0] += count }
        }
        return Set(counts.keys).union(limits.keys).sorted().compactMap { folder in
            let (count, limit) = (counts[folder] ?? 0, limits[folder] ?? 0)
            if count == limit { return nil }
            return count > limit
                ? "\(folder): \(count) unsafe constructs, \(limit) may be: write it safely, or where the proofs are"
                : "\(folder): \(count) unsafe constructs; lower the limit \(limit)"
        }
    }

    /// The number of places that promise what the compiler does not check: types, and values that are transferred.
    static let uncheckedMax = 121

    static func unchecked(_ files: [SourceTree.File], limit: Int = uncheckedMax) -> [String] {
        let count = files.filter { $0.path.hasPrefix("Sources/") }
            .map { SwiftText.code(of: $0.text) }
            .reduce(0) { $0 + $1.ranges(of: "@unchecked Sendable").count + $1.ranges(of: "Transferred(").count }
        if count == limit { return [] }
        return [
            count > limit
                ? "\(count) promises of types and values are unchecked, \(limit) may be: have the compiler check it"
                : "\(count) promises of types and values are unchecked; lower the limit \(limit)"
        ]
    }

    /// Words and verbs that readers had to read twice.
    static func words(in file: SourceTree.File) -> [String] {
        let isHere = file.isMarkdown || ["Sources/", "Tools/", ".ci/"].contains(where: file.path.hasPrefix)
        guard isHere else { return [] }
        var rules = [
            (
                ["anew", "beside", "whoever", "so many", "goes on", "bereaved"],
                /\b(?:anew|beside|whoever|so many|goes on|bereaved)\b/.ignoresCase()
            )
        ]
        if file.isSwift {
            rules += [
                (["func "], /\bfunc (?:take|tell|settle|forget|land|depart|keep|note)\w*\(/),
                (["as? "], /as\? (?:StoreEngine|LoggedStore)\b/),
            ]
        }
        // A text is found in a hundredth of the time that an expression takes.
        let text = file.text.lowercased()
        rules.removeAll { !$0.0.contains(where: text.contains) }
        return file.lines.enumerated().flatMap { index, line in
            let lowercased = line.lowercased()
            return rules.filter { $0.0.contains(where: lowercased.contains) }
                .flatMap { line.matches(of: $0.1) }
                .map { "\(file.path):\(index + 1): \($0.output)" }
        }
    }
}
