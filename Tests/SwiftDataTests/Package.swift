// swift-tools-version: 6.2
import PackageDescription

// A package of its own, as a user of the product SwiftData has one: only it resolves swift-syntax.
let package = Package(
    name: "SwiftDataTests",
    dependencies: [.package(name: "Firn", path: "../..", traits: ["SwiftData"])],
    targets: [
        .testTarget(
            name: "SwiftDataTests", dependencies: [.product(name: "SwiftData", package: "Firn")], path: "Tests",
            swiftSettings: [.treatAllWarnings(as: .error)]),
        // User code as strict modules have it.
        .testTarget(
            name: "StrictTests", dependencies: [.product(name: "SwiftData", package: "Firn")], path: "Strict",
            swiftSettings: [
                .treatAllWarnings(as: .error), .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("MemberImportVisibility"),
                .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
            ]),
        .testTarget(
            name: "MainActorByDefaultTests", dependencies: [.product(name: "SwiftData", package: "Firn")],
            path: "MainActorByDefault",
            swiftSettings: [
                .treatAllWarnings(as: .error), .defaultIsolation(MainActor.self),
                .enableUpcomingFeature("InferIsolatedConformances"),
                .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
