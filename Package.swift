// swift-tools-version: 6.2
import CompilerPluginSupport
import PackageDescription

/// Every target of our own is held to the same settings: warnings are errors (but for those of the optimizer), and
/// imports are internal unless said.
let settings: [SwiftSetting] = [
    .treatAllWarnings(as: .error, .when(configuration: .debug)),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

/// A library target with its tests beside it. The dependencies are the layer table of Documentation/Architecture.md;
/// `TidyTests` holds every file's imports against them.
func room(_ name: String, _ dependencies: [Target.Dependency], tests: [Target.Dependency] = []) -> [Target] {
    [
        .target(name: name, dependencies: dependencies, swiftSettings: settings),
        .testTarget(
            name: name + "Tests",
            dependencies: [.byName(name: name), "TestSupport"] + dependencies + tests,
            swiftSettings: settings),
    ]
}

/// A program that a newcomer runs: its folder holds its model, and its `@NSManaged` classes get their bodies.
func example(_ name: String, model: String) -> Target {
    .executableTarget(
        name: name, dependencies: ["CoreData"], path: "Examples/" + name,
        resources: [.copy(model + ".xcdatamodeld")], plugins: ["ManagedClasses"])
}

/// A product that only the server is made of: without the trait its package is not even resolved.
func served(_ product: String, _ package: String) -> Target.Dependency {
    .product(name: product, package: package, condition: .when(traits: ["Server"]))
}

/// A product that only FirnService is made of: without the trait its package is not even resolved.
func observed(_ product: String, _ package: String) -> Target.Dependency {
    .product(name: product, package: package, condition: .when(traits: ["Service"]))
}

/// A product that only the macros of SwiftData are made of: without the trait its package is not even resolved.
func expanded(_ product: String) -> Target.Dependency {
    .product(name: product, package: "swift-syntax", condition: .when(traits: ["SwiftData"]))
}

/// The files of the server's pages, which become part of the program.
let embedded: [Resource] = [
    "activity.mustache", "asof.mustache", "changes.mustache", "compare.mustache", "entities.mustache",
    "failure.mustache", "icon.svg", "layout.mustache", "model.mustache", "object.mustache", "objects.mustache",
    "openapi.json", "record.mustache", "records.mustache", "revert.mustache", "script.js", "search.mustache",
    "style.css", "timeline.mustache", "value.mustache", "version.mustache",
].map { .embedInCode("Resources/" + $0) }

/// Module maps of the system's libraries. Three typed lists, since Swift 6.2 does not check one sum of them in time.
let systemLibraries: [Target] = [
    .systemLibrary(
        name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(
        name: "CZstd", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"])]),
    .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
    .systemLibrary(
        name: "CCrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
    .systemLibrary(name: "CFileRange"),
    .systemLibrary(name: "CManagedAccessors"),
    .systemLibrary(name: "CObjectMaking"),
    .systemLibrary(name: "CPostgres"),
]

let rooms: [[Target]] = [
    room("FirnFoundation", ["FirnRuntime"]),
    room("FirnLog", ["CCrypto", "CFileRange", "CZstd"]),
    room("FirnPostgres", ["CPostgres", "FirnLog"]),
    room("FirnRuntime", ["CObjectMaking"]),
    room("FirnModel", ["CCrypto", "FirnFoundation", "FirnRuntime"], tests: ["ModelGeneration"]),
    room("FirnSQLite", ["CSQLite"]),
    room("FirnProjection", ["FirnFoundation", "FirnModel", "FirnLog", "FirnSQLite"]),
    room("FirnStore", ["FirnFoundation", "FirnModel", "FirnLog", "FirnSQLite", "FirnProjection", "FirnRuntime"]),
    room(
        "Firn",
        [
            "FirnFoundation", "FirnModel", "FirnLog", "FirnSQLite", "FirnProjection", "FirnRuntime", "FirnStore",
        ],
        tests: ["CoreDataExtras", "FirnInspection", "StoreSupport"]),
    room(
        "FirnImport",
        ["CZlib", "FirnFoundation", "FirnLog", "FirnModel", "FirnProjection", "FirnSQLite", "FirnStore"],
        tests: ["Firn", "StoreSupport"]),
    room(
        "FirnInspection",
        ["Firn", "FirnFoundation", "FirnLog", "FirnModel", "FirnProjection", "FirnSQLite"]),
    room("CoreDataTesting", ["CoreData", "Firn", "FirnInspection", "FirnLog", "FirnProjection", "FirnStore"]),
    room("CoreData", ["CManagedAccessors", "Firn", "FirnFoundation", "FirnModel", "FirnStore"]),
]

let programs: [Target] = [
    .target(
        name: "CoreDataExtras",
        dependencies: [
            "Firn", "FirnFoundation", "FirnLog", "FirnModel", "FirnProjection", "FirnSQLite", "FirnStore",
        ],
        swiftSettings: settings),
    .target(
        name: "FirnServer",
        dependencies: [
            "CZlib", "Firn", "FirnFoundation", "FirnInspection", "FirnLog", "FirnModel", "FirnProjection",
            "FirnSQLite",
            served("HTTPTypes", "swift-http-types"), served("Hummingbird", "hummingbird"),
            served("HummingbirdCore", "hummingbird"), served("HummingbirdTLS", "hummingbird"),
            served("Logging", "swift-log"), served("Mustache", "swift-mustache"),
            served("NIOCore", "swift-nio"), served("NIOHTTP1", "swift-nio"), served("NIOPosix", "swift-nio"),
            served("NIOSSL", "swift-nio-ssl"), served("ServiceLifecycle", "swift-service-lifecycle"),
        ],
        resources: embedded,
        swiftSettings: settings),
    .target(
        name: "FirnService",
        dependencies: [
            "CoreDataExtras", "Firn", "FirnFoundation", "FirnLog", "FirnProjection", "FirnStore",
            observed("Logging", "swift-log"), observed("Metrics", "swift-metrics"),
            observed("ServiceLifecycle", "swift-service-lifecycle"),
            observed("Tracing", "swift-distributed-tracing"),
        ],
        swiftSettings: settings),
    .macro(
        name: "SwiftDataMacros",
        dependencies: [
            expanded("SwiftCompilerPlugin"), expanded("SwiftDiagnostics"), expanded("SwiftSyntax"),
            expanded("SwiftSyntaxBuilder"), expanded("SwiftSyntaxMacroExpansion"),
            expanded("SwiftSyntaxMacros"), expanded("SwiftParser"),
        ],
        swiftSettings: settings),
    .target(
        name: "SwiftData",
        dependencies: [
            "CoreData", "Firn", "FirnFoundation", "FirnModel", "FirnRuntime", "FirnStore", "SwiftDataMacros",
        ],
        swiftSettings: settings),
    .executableTarget(
        name: "firn-serve",
        dependencies: [
            "FirnServer", .product(name: "ArgumentParser", package: "swift-argument-parser"),
        ],
        path: "Tools/firn-serve",
        swiftSettings: settings),
    .executableTarget(
        name: "firn",
        dependencies: [
            "Firn", "FirnFoundation", "FirnImport", "FirnInspection", "FirnLog", "FirnModel", "FirnPostgres",
            "FirnProjection", "FirnStore", "ModelGeneration", "SourcePorting",
            .product(name: "ArgumentParser", package: "swift-argument-parser"),
        ],
        path: "Tools/firn",
        swiftSettings: settings),
    .executableTarget(
        name: "Torture", dependencies: ["CoreData", "FirnLog", "FirnPostgres"], path: "Tools/Torture",
        swiftSettings: settings),
    .executableTarget(
        name: "Figures", dependencies: ["CoreData", "FirnLog", "FirnPostgres"], path: "Tools/Figures",
        swiftSettings: settings),
    .executableTarget(name: "Pages", path: "Tools/Pages", swiftSettings: settings),
    .target(name: "BuildFiles", path: "Tools/BuildFiles", swiftSettings: settings),
    .target(name: "SwiftTokens", path: "Tools/SwiftTokens", swiftSettings: settings),
    .target(
        name: "AccessorGeneration", dependencies: ["BuildFiles", "SwiftTokens"], path: "Tools/AccessorGeneration",
        exclude: ["README.md"], swiftSettings: settings),
    .executableTarget(
        name: "ManagedAccessors", dependencies: ["AccessorGeneration", "BuildFiles"], path: "Tools/ManagedAccessors",
        swiftSettings: settings),
    .plugin(
        name: "ManagedClasses", capability: .buildTool(), dependencies: ["ManagedAccessors"],
        path: "Tools/ManagedClasses"),
    .target(
        name: "ModelGeneration", dependencies: ["FirnModel"], path: "Tools/ModelGeneration", swiftSettings: settings),
    .executableTarget(
        name: "ModelCompiler", dependencies: ["BuildFiles", "FirnModel", "ModelGeneration", "SourcePorting"],
        path: "Tools/ModelCompiler",
        swiftSettings: settings),
    .plugin(
        name: "ManagedModels", capability: .buildTool(), dependencies: ["ModelCompiler"],
        path: "Tools/ManagedModels"),
    .target(
        name: "SourcePorting", dependencies: ["BuildFiles", "SwiftTokens"], path: "Tools/SourcePorting",
        swiftSettings: settings),
    .executableTarget(
        name: "SourcePorter", dependencies: ["BuildFiles", "FirnModel", "ModelGeneration", "SourcePorting"],
        path: "Tools/SourcePorter",
        swiftSettings: settings),
    .plugin(
        name: "PortedSources", capability: .buildTool(),
        dependencies: ["ManagedAccessors", "ModelCompiler", "SourcePorter"], path: "Tools/PortedSources"),
    .executableTarget(
        name: "GitHistory",
        dependencies: ["CoreData"],
        path: "Examples/GitHistory",
        resources: [.copy("GitHistory.xcdatamodeld")],
        swiftSettings: settings),
    example("Orders", model: "Orders"),
    example("Uploads", model: "Uploads"),
    example("School", model: "School"),
    example("ThreeLayers", model: "Notes"),
    .testTarget(
        name: "ExampleTests",
        dependencies: ["Orders", "Uploads", "School", "ThreeLayers", "TestSupport"],
        swiftSettings: settings),
    .executableTarget(
        name: "MountedFeed",
        dependencies: ["CoreData", "FirnServer", served("Hummingbird", "hummingbird")],
        path: "Tests/MountedFeed", swiftSettings: settings),
    .executableTarget(
        name: "ServiceTests",
        dependencies: [
            "CoreData", "CoreDataExtras", "FirnService", observed("InMemoryLogging", "swift-log"),
            observed("InMemoryTracing", "swift-distributed-tracing"), observed("Logging", "swift-log"),
            observed("MetricsTestKit", "swift-metrics"), observed("Metrics", "swift-metrics"),
            observed("ServiceLifecycle", "swift-service-lifecycle"),
            observed("Tracing", "swift-distributed-tracing"),
        ],
        path: "Tests/ServiceTests", swiftSettings: settings),
    .executableTarget(
        name: "LibraryServer",
        dependencies: [
            "CoreData", "FirnService", served("HTTPTypes", "swift-http-types"), served("Hummingbird", "hummingbird"),
            observed("Logging", "swift-log"), observed("ServiceLifecycle", "swift-service-lifecycle"),
        ],
        path: "Examples/Server", resources: [.copy("Library.xcdatamodeld")], plugins: ["ManagedClasses"]),
    .target(
        name: "ManagedBase", dependencies: ["CoreData"], path: "Tests/ManagedBase",
        swiftSettings: settings, plugins: ["ManagedClasses"]),
    .testTarget(
        name: "ManagedClassTests", dependencies: ["CoreData", "ManagedBase", "TestSupport"],
        swiftSettings: settings, plugins: ["ManagedClasses"]),
    .testTarget(
        name: "AccessorGenerationTests", dependencies: ["AccessorGeneration", "TestSupport"], swiftSettings: settings),
    .testTarget(
        name: "ManagedModelTests", dependencies: ["CoreData"],
        exclude: ["Fleet.xcdatamodeld", "Fleet 1 to 2.xcmappingmodel"], plugins: ["ManagedModels"]),
    .testTarget(
        name: "SourcePortingTests", dependencies: ["SourcePorting", "TestSupport"], swiftSettings: settings),
    .target(
        name: "PortedBase", dependencies: ["CoreData"], path: "Tests/PortedBase",
        exclude: ["Base", "ported-sources.txt"], plugins: ["PortedSources"]),
    .testTarget(
        name: "PortedSourceTests", dependencies: ["CoreData", "PortedBase"], exclude: ["App"],
        plugins: ["PortedSources"]),
    .testTarget(
        name: "SharedStoreTests",
        dependencies: [
            "Firn", "firn", "FirnFoundation", "FirnLog", "FirnModel", "FirnPostgres", "TestSupport", "Torture",
        ],
        swiftSettings: settings),
    .target(name: "CTestEnvironment", path: "Tests/CTestEnvironment"),
    .target(
        name: "TestSupport", dependencies: ["CTestEnvironment", "FirnLog", "FirnPostgres"],
        path: "Tests/TestSupport",
        swiftSettings: settings),
    .target(
        name: "StoreSupport",
        dependencies: [
            "Firn", "FirnLog", "FirnModel", "FirnProjection", "FirnSQLite", "FirnStore", "TestSupport",
        ],
        path: "Tests/StoreSupport", swiftSettings: settings),
    .testTarget(name: "TidyTests", dependencies: ["Pages"], swiftSettings: settings),
    .testTarget(
        name: "FirnToolTests",
        dependencies: [
            "firn", "Torture", "FirnLog", "FirnModel", "FirnPostgres", "FirnProjection", "FirnSQLite",
            "TestSupport",
        ],
        swiftSettings: settings),
    .testTarget(
        name: "GitHistoryTests",
        dependencies: ["GitHistory", "firn", "TestSupport"],
        swiftSettings: settings),
]

let package = Package(
    name: "Firn",
    products: [
        .library(name: "CoreData", targets: ["CoreData"]),
        .library(name: "CoreDataExtras", targets: ["CoreDataExtras"]),
        .library(name: "CoreDataTesting", targets: ["CoreDataTesting"]),
        .library(name: "Firn", targets: ["Firn"]),
        .library(name: "FirnFoundation", targets: ["FirnFoundation"]),
        .library(name: "FirnImport", targets: ["FirnImport"]),
        .library(name: "FirnLog", targets: ["FirnLog"]),
        .library(name: "FirnPostgres", targets: ["FirnPostgres"]),
        .library(name: "FirnServer", targets: ["FirnServer"]),
        .library(name: "FirnService", targets: ["FirnService"]),
        .library(name: "SwiftData", targets: ["SwiftData"]),
        .executable(name: "firn", targets: ["firn"]),
        .executable(name: "firn-serve", targets: ["firn-serve"]),
        .plugin(name: "ManagedClasses", targets: ["ManagedClasses"]),
        .plugin(name: "ManagedModels", targets: ["ManagedModels"]),
        .plugin(name: "PortedSources", targets: ["PortedSources"]),
    ],
    traits: [
        .trait(
            name: "Server",
            description: "The change feed over HTTP: FirnServer and firn-serve. Resolves and builds Hummingbird."),
        .trait(
            name: "Service",
            description: "FirnService: logging, metrics, tracing and services. Resolves and builds swift-log, "
                + "swift-metrics, swift-distributed-tracing and swift-service-lifecycle."),
        .trait(
            name: "SwiftData",
            description: "import SwiftData: the module and its macros. Resolves and builds swift-syntax."),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
        // Resolved with the trait only.
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.20.0"),
        .package(url: "https://github.com/hummingbird-project/swift-mustache", from: "2.0.0"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.3.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.10.0"),
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.3.0"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.5.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.6.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.80.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.26.0"),
        .package(url: "https://github.com/swiftlang/swift-syntax", "602.0.0"..<"605.0.0"),
    ],
    targets: systemLibraries + rooms.flatMap { $0 } + programs,
    swiftLanguageModes: [.v6]
)
