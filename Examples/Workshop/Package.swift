// swift-tools-version: 6.2
import PackageDescription

// A package of its own, as a user of the product SwiftData has one: only it resolves swift-syntax.
let package = Package(
    name: "Workshop",
    products: [.executable(name: "Workshop", targets: ["Workshop"])],
    dependencies: [.package(name: "Firn", path: "../..", traits: ["SwiftData"])],
    targets: [
        .executableTarget(
            name: "Workshop", dependencies: [.product(name: "SwiftData", package: "Firn")], path: "Sources")
    ],
    swiftLanguageModes: [.v6]
)
