// swift-tools-version: 6.2
import PackageDescription

// A package of its own, as a user of the product SwiftData has one: only it resolves swift-syntax.
let package = Package(
    name: "SwiftDataTests",
    dependencies: [.package(name: "Firn", path: "../..", traits: ["SwiftData"])],
    targets: [
        .testTarget(
            name: "SwiftDataTests", dependencies: [.product(name: "SwiftData", package: "Firn")], path: "Tests",
            swiftSettings: [.treatAllWarnings(as: .error)])
    ],
    swiftLanguageModes: [.v6]
)
