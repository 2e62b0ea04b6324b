// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "Shop",
    dependencies: [.package(name: "Firn", path: "../..")],
    targets: [
        .target(
            name: "Shop",
            dependencies: [.product(name: "CoreData", package: "Firn")],
            path: "Linux/Shop",
            exclude: ["ported-sources.txt"],
            plugins: [.plugin(name: "PortedSources", package: "Firn")]),
        .testTarget(
            name: "ShopTests",
            dependencies: ["Shop", .product(name: "CoreDataTesting", package: "Firn")],
            path: "Linux/ShopTests",
            exclude: ["ported-sources.txt"],
            plugins: [.plugin(name: "PortedSources", package: "Firn")]),
    ],
    swiftLanguageModes: [.v5]
)
