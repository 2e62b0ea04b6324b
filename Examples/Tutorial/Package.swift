// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "Shelf",
    dependencies: [.package(name: "Firn", path: "../..")],
    targets: [
        .executableTarget(
            name: "shelf",
            dependencies: [.product(name: "CoreData", package: "Firn")],
            resources: [.copy("Library.xcdatamodeld")],
            plugins: [.plugin(name: "ManagedClasses", package: "Firn")])
    ]
)
