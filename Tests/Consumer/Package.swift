// swift-tools-version: 6.1
import PackageDescription

// An app that uses this package as any other would: it resolves and builds nothing else.
let package = Package(
    name: "Consumer",
    platforms: [.macOS(.v14)],
    dependencies: [
        .package(name: "EntitySync", path: "../..")
    ],
    targets: [
        .executableTarget(
            name: "Notebook",
            dependencies: [.product(name: "EntitySync", package: "EntitySync")],
            plugins: [.plugin(name: "EntitySyncPlugin", package: "EntitySync")]
        )
    ]
)
