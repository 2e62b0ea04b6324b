// swift-tools-version: 6.2
import PackageDescription

/// A program for the code of the guides: paste it into `Sources/guides/Guide.swift`.
let package = Package(
    name: "Guides",
    dependencies: [.package(name: "Firn", path: "../..")],
    targets: [
        .executableTarget(
            name: "guides",
            dependencies: [
                .product(name: "CoreData", package: "Firn"),
                .product(name: "CoreDataExtras", package: "Firn"),
                .product(name: "FirnImport", package: "Firn"),
                .product(name: "FirnPostgres", package: "Firn"),
            ],
            resources: [.copy("Books.xcdatamodeld")],
            plugins: [.plugin(name: "ManagedClasses", package: "Firn")])
    ],
    swiftLanguageModes: [.v6]
)
