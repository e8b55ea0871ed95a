// swift-tools-version: 6.1
import PackageDescription

// What a test turns on; an app names its traits, or has none.
let names = Context.environment["CONSUMER_TRAITS"]?.split(separator: ",") ?? []
let traits = Set(names.map { Package.Dependency.Trait(name: String($0)) })

// An app that uses this package as any other would: it resolves and builds nothing else.
let package = Package(
    name: "Consumer",
    platforms: [.macOS(.v14)],
    dependencies: [
        .package(name: "EntitySync", path: "../..", traits: traits)
    ],
    targets: [
        .executableTarget(
            name: "Notebook",
            dependencies: [
                .product(name: "EntitySync", package: "EntitySync"),
                .product(name: "EntitySyncFolder", package: "EntitySync"),
            ],
            plugins: [.plugin(name: "EntitySyncPlugin", package: "EntitySync")]
        )
    ]
)
