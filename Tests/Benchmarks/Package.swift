// swift-tools-version: 6.1
import PackageDescription

// Measures the package beside code by hand. It uses what an app can use, and may compare with libraries that the package
// itself never brings along.
let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v14)],
    products: [.executable(name: "syncbench", targets: ["syncbench"])],
    dependencies: [
        .package(name: "EntitySync", path: "../.."),
        // What an app team writes its rows with by hand; its SQLite is the system's.
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    ],
    targets: [
        .executableTarget(
            name: "syncbench",
            dependencies: [
                .product(name: "EntitySync", package: "EntitySync"),
                .product(name: "SyncChecks", package: "EntitySync"),
                .product(name: "SyncDynamic", package: "EntitySync"),
                .product(name: "SyncPostgres", package: "EntitySync"),
                .product(name: "PostgresCluster", package: "EntitySync"),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
            ],
            plugins: [.plugin(name: "EntitySyncPlugin", package: "EntitySync")]
        ),
        .testTarget(
            name: "SyncBenchTests",
            dependencies: [
                "syncbench", .product(name: "EntitySync", package: "EntitySync"),
                .product(name: "PostgresCluster", package: "EntitySync"),
            ]
        ),
    ],
    swiftLanguageModes: [.v6]
)

for target in package.targets {
    target.swiftSettings = [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ]
}
