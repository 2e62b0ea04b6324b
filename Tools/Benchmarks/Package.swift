// swift-tools-version: 6.2
import PackageDescription

/// A package of its own, so that nobody who uses Firn builds what it is measured against. `Tools/bench` runs it.
let package = Package(
    name: "Benchmarks",
    traits: [.trait(name: "SwiftData", description: "The suite `models`. Resolves and builds swift-syntax.")],
    dependencies: [
        .package(
            name: "Firn", path: "../..", traits: [.trait(name: "SwiftData", condition: .when(traits: ["SwiftData"]))]),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.0.0"),
    ],
    targets: [
        .systemLibrary(
            name: "SystemSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(
            name: "SystemZstd", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"])]),
        .executableTarget(
            name: "bench",
            dependencies: [
                "SystemSQLite", "SystemZstd",
                .product(name: "CoreData", package: "Firn"),
                .product(name: "SwiftData", package: "Firn", condition: .when(traits: ["SwiftData"])),
                .product(name: "FirnLog", package: "Firn"),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            plugins: [.plugin(name: "ManagedClasses", package: "Firn")]),
    ],
    swiftLanguageModes: [.v6]
)
