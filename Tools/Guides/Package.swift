// swift-tools-version: 6.2
import PackageDescription

/// The code of the guides as a program. `Tools/documentation` copies this package, writes a file for each page next to
/// these sources, builds the program and runs it.
let package = Package(
    name: "Guides",
    dependencies: [.package(name: "Firn", path: "../..")],
    targets: [
        .executableTarget(
            name: "guides",
            dependencies: [
                .product(name: "CoreData", package: "Firn"),
                .product(name: "FirnImport", package: "Firn"),
                .product(name: "FirnPostgres", package: "Firn"),
            ],
            resources: [.copy("Books.xcdatamodeld")],
            plugins: [.plugin(name: "ManagedClasses", package: "Firn")])
    ],
    swiftLanguageModes: [.v6]
)
