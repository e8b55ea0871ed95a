// swift-tools-version: 6.1
import PackageDescription

let package = Package(
    name: "Recipes",
    platforms: [.macOS(.v14)],
    products: [.executable(name: "cook", targets: ["Cook"])],
    dependencies: [.package(name: "EntitySync", path: "../..")],
    targets: [
        .executableTarget(
            name: "Cook",
            dependencies: [
                .product(name: "EntitySync", package: "EntitySync"),
                .product(name: "EntitySyncFolder", package: "EntitySync"),
                .product(name: "EntitySyncServer", package: "EntitySync"),
            ],
            plugins: [.plugin(name: "EntitySyncPlugin", package: "EntitySync")]
        )
    ]
)
