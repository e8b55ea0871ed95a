// swift-tools-version: 6.1
import PackageDescription

// An app that reads its store with GRDB, as any app would that gives the trait.
let package = Package(
    name: "GRDBReading",
    platforms: [.macOS(.v14)],
    dependencies: [
        .package(name: "EntitySync", path: "../..", traits: ["GRDB"]),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    ],
    targets: [
        .testTarget(
            name: "SyncGRDBTests",
            dependencies: [
                .product(name: "EntitySync", package: "EntitySync"),
                .product(name: "EntitySyncFolder", package: "EntitySync"),
                .product(name: "SyncGRDB", package: "EntitySync"),
                .product(name: "GRDB", package: "GRDB.swift"),
            ],
            plugins: [.plugin(name: "EntitySyncPlugin", package: "EntitySync")]
        )
    ],
    swiftLanguageModes: [.v6]
)

for target in package.targets {
    target.swiftSettings = [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ]
}
