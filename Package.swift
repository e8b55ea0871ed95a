// swift-tools-version: 6.1
import PackageDescription

let package = Package(
    name: "EntitySync",
    platforms: [.macOS(.v14), .iOS(.v17)],
    products: [
        // What an app imports: the runtime, the store and the backends behind one name.
        .library(name: "EntitySync", targets: ["EntitySync"]),
        // What a test imports: conformance suites and seeded worlds, as plain values.
        .library(name: "SyncChecks", targets: ["SyncChecks"]),
        // What a target applies to turn the schemas in its folder into Swift.
        .plugin(name: "EntitySyncPlugin", targets: ["EntitySyncPlugin"]),
    ],
    traits: [
        .trait(
            name: "Server",
            description: "Builds syncserver's HTTP host; without it none of it is resolved."
        )
    ],
    dependencies: [
        // Only the command line uses it; an app that depends on this package never resolves it.
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        // Only the server uses it, and only with the trait.
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
        // What the server logs with; Hummingbird brings it anyway.
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
    ],
    targets: [
        // Values and ports that every other module speaks in.
        .target(name: "SyncCore"),
        // Planner, merge strategies and the engine that performs what they decide.
        .target(name: "SyncRuntime", dependencies: ["SyncCore"]),
        // The system's SQLite as it is.
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        // A thin wrapper over the system's SQLite.
        .target(name: "SyncSQLite", dependencies: ["CSQLite"]),
        // The local store.
        .target(name: "SyncStore", dependencies: ["SyncCore", "SyncSQLite"]),
        // Shapes of records on the way, shared by folder, client and server.
        .target(name: "SyncWire", dependencies: ["SyncCore"]),
        // A folder as remote.
        .target(name: "SyncFileBackend", dependencies: ["SyncCore", "SyncWire"]),
        // A URL as remote.
        .target(name: "SyncHTTPBackend", dependencies: ["SyncCore", "SyncWire"]),
        // The umbrella that an app imports.
        .target(
            name: "EntitySync",
            dependencies: [
                "SyncCore", "SyncRuntime", "SyncStore", "SyncWire", "SyncFileBackend", "SyncHTTPBackend",
            ]
        ),
        // The authoritative change log and its request handler; it knows no host.
        .target(
            name: "SyncServer",
            dependencies: ["SyncCore", "SyncWire", "SyncSQLite", "SyncDynamic"],
            resources: [.embedInCode("Resources/openapi.json")]
        ),
        // Schema text with positions to a checked schema and diagnostics.
        .target(name: "SyncSchema", resources: [.embedInCode("Resources/entitysync.schema.json")]),
        // Checked schema to Swift.
        .target(name: "SyncCodegen", dependencies: ["SyncSchema"]),
        // Adapters made from a schema at run time.
        .target(name: "SyncDynamic", dependencies: ["SyncSchema", "SyncCore"]),
        // Conformance suites, fault injection and seeded worlds.
        .target(
            name: "SyncChecks",
            dependencies: [
                "SyncCore", "SyncRuntime", "SyncStore", "SyncWire", "SyncFileBackend", "SyncHTTPBackend",
                "SyncDynamic", "SyncServer", "SyncSQLite", "CSQLite",
            ]
        ),
        // What the readers of bytes from outside promise for any bytes.
        .target(
            name: "SyncFuzzing",
            dependencies: [
                "SyncCore", "SyncSchema", "SyncDynamic", "SyncWire", "SyncFileBackend", "SyncHTTPBackend",
                "SyncServer",
            ]
        ),
        // Replays inputs through a reader; built with libFuzzer it makes its own (README, Fuzz).
        .executableTarget(name: "syncfuzz", dependencies: ["SyncFuzzing"]),
        // The library generated from Schemas/.
        .target(
            name: "SyncEntities",
            dependencies: ["SyncCore"],
            path: "Schemas",
            plugins: ["EntitySyncPlugin"]
        ),
        // The tool that the plugin runs. No dependency, so that an app builds nothing else.
        .executableTarget(name: "synccodegen", dependencies: ["SyncCodegen"]),
        // Runs synccodegen on the schemas of a target at each build.
        .plugin(name: "EntitySyncPlugin", capability: .buildTool(), dependencies: ["synccodegen"]),
        // The command line.
        .executableTarget(
            name: "synccheck",
            dependencies: [
                "EntitySync", "SyncSchema", "SyncCodegen", "SyncDynamic", "SyncChecks",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            resources: [.embedInCode("Resources/demo-verses.json")]
        ),
        // Measures the product against yardsticks, side by side.
        .executableTarget(
            name: "syncbench",
            dependencies: [
                "EntitySync", "SyncEntities", "SyncSchema", "SyncCodegen", "SyncDynamic", "SyncChecks",
                "CSQLite",
            ]
        ),
        // Hosts SyncServer over HTTP. Without the trait it says how to build it.
        .executableTarget(
            name: "syncserver",
            dependencies: [
                "SyncServer", "SyncSchema", "SyncDynamic", "SyncCore", "SyncWire",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(
                    name: "Hummingbird",
                    package: "hummingbird",
                    condition: .when(traits: ["Server"])
                ),
                .product(name: "Logging", package: "swift-log", condition: .when(traits: ["Server"])),
            ]
        ),
        // Starts built programs for tests.
        .target(name: "ProgramRuns", path: "Tests/ProgramRuns"),
        .testTarget(name: "SyncCoreTests", dependencies: ["SyncCore", "SyncChecks", "SyncFuzzing"]),
        .testTarget(name: "SyncRuntimeTests", dependencies: ["SyncRuntime", "SyncChecks", "EntitySync"]),
        .testTarget(name: "SyncSQLiteTests", dependencies: ["SyncSQLite"]),
        .testTarget(
            name: "SyncStoreTests",
            dependencies: ["SyncStore", "SyncChecks", "SyncRuntime", "SyncWire"]
        ),
        .testTarget(name: "SyncFileBackendTests", dependencies: ["SyncFileBackend", "SyncChecks"]),
        .testTarget(name: "SyncWireTests", dependencies: ["SyncWire", "SyncChecks"]),
        .testTarget(name: "SyncServerTests", dependencies: ["SyncServer", "SyncDynamic", "SyncChecks"]),
        .testTarget(
            name: "SyncHTTPBackendTests",
            dependencies: ["SyncHTTPBackend", "SyncRuntime", "SyncServer", "SyncChecks", "ProgramRuns"]
        ),
        .testTarget(
            name: "SyncserverTests",
            dependencies: ["syncserver", "synccheck", "SyncServer", "SyncChecks", "ProgramRuns"]
        ),
        .testTarget(
            name: "SyncChecksTests",
            dependencies: [
                "SyncChecks", "SyncFileBackend", "SyncDynamic", "SyncSchema", "SyncSQLite", "SyncStore",
                "SyncServer", "SyncHTTPBackend", "SyncRuntime", "SyncEntities",
            ]
        ),
        .testTarget(
            name: "SyncFuzzingTests",
            dependencies: [
                "SyncFuzzing", "syncfuzz", "SyncCore", "SyncWire", "SyncFileBackend", "ProgramRuns",
            ]
        ),
        .testTarget(name: "SyncSchemaTests", dependencies: ["SyncSchema"]),
        .testTarget(
            name: "SyncCodegenTests",
            dependencies: ["SyncCodegen", "SyncSchema", "SyncCore", "ProgramRuns"]
        ),
        .testTarget(
            name: "SyncDynamicTests",
            dependencies: ["SyncDynamic", "SyncRuntime", "SyncSchema", "SyncEntities", "SyncChecks"]
        ),
        .testTarget(
            name: "EntitySyncTests",
            dependencies: ["EntitySync", "SyncEntities", "SyncChecks"],
            plugins: ["EntitySyncPlugin"]
        ),
        .testTarget(
            name: "DocumentationTests",
            dependencies: ["EntitySync", "SyncEntities", "SyncChecks", "SyncSchema"]
        ),
        .testTarget(name: "SampleTests", dependencies: ["ProgramRuns"]),
        .testTarget(
            name: "SyncCheckTests",
            dependencies: ["synccheck", "SyncChecks", "SyncRuntime", "ProgramRuns"]
        ),
        .testTarget(
            name: "SyncBenchTests",
            dependencies: ["syncbench", "EntitySync", "SyncEntities", "SyncCore"]
        ),
        .testTarget(name: "TidyTests"),
    ],
    swiftLanguageModes: [.v6]
)

// One set of compiler features for every Swift target, so that a file reads the same in each room.
for target in package.targets where target.type != .system && target.type != .plugin {
    target.swiftSettings = [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ]
}

// What is looked at alone: by the thread sanitizer (`.ci/run`), or by libFuzzer, which brings a main of its own that
// no other program can be linked with. What neither looks at is not built for it.
let libraries: Set = [
    "SyncCore", "CSQLite", "SyncSQLite", "SyncWire", "SyncFileBackend", "SyncHTTPBackend", "SyncSchema",
    "SyncDynamic", "SyncServer",
]
let threaded: Set = [
    "SyncRuntime", "SyncStore", "EntitySync", "SyncCodegen", "synccodegen", "EntitySyncPlugin",
    "SyncEntities", "SyncChecks", "ProgramRuns", "SyncSQLiteTests", "SyncStoreTests", "SyncHTTPBackendTests",
    "SyncRuntimeTests", "EntitySyncTests",
]
let isFuzzed = Context.environment["SYNCFUZZ"] != nil
if isFuzzed || Context.environment["SYNCTHREADS"] != nil {
    let kept = libraries.union(isFuzzed ? ["SyncFuzzing", "syncfuzz"] : threaded)
    package.targets.removeAll { !kept.contains($0.name) }
    package.products = []
    package.dependencies = []
}
if isFuzzed {
    package.targets.last { $0.name == "syncfuzz" }?.swiftSettings?.append(.define("FUZZ"))
}
