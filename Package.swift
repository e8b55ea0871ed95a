// swift-tools-version: 6.1
import PackageDescription

/// Starts and stops the host.
let lifecycle = Target.Dependency.product(
    name: "ServiceLifecycle",
    package: "swift-service-lifecycle",
    condition: .when(traits: ["Server"])
)
/// What hosts SyncServer and live pages over HTTP; nothing of it is resolved without the trait.
let host: [Target.Dependency] = [
    .product(name: "HummingbirdCore", package: "hummingbird", condition: .when(traits: ["Server"])),
    .product(name: "Logging", package: "swift-log", condition: .when(traits: ["Server"])),
    .product(name: "NIOCore", package: "swift-nio", condition: .when(traits: ["Server"])),
    .product(name: "NIOPosix", package: "swift-nio", condition: .when(traits: ["Server"])),
    .product(name: "NIOHTTP1", package: "swift-nio", condition: .when(traits: ["Server"])),
    .product(name: "HTTPTypes", package: "swift-http-types", condition: .when(traits: ["Server"])),
    lifecycle,
    .product(
        name: "UnixSignals",
        package: "swift-service-lifecycle",
        condition: .when(traits: ["Server"])
    ),
]
/// Signatures of JSON Web Tokens, for logins that exist already. Only syncserver checks them.
let tokens = Target.Dependency.product(
    name: "JWTKit",
    package: "jwt-kit",
    condition: .when(traits: ["Server"])
)

/// What SyncGRDB bridges to; it is not resolved without the trait.
let grdb = Target.Dependency.product(
    name: "GRDB",
    package: "GRDB.swift",
    condition: .when(traits: ["GRDB"])
)

/// The system's libpq, which only the server needs.
let libpq = Target.Dependency.byName(name: "CPostgreSQL", condition: .when(traits: ["Server"]))

// What Apple's stores ask of code that reads the metadata of files. Every product of an app that does so links SyncFiles.
// Elsewhere nobody asks, and a resource would bring Foundation along.
#if os(macOS)
    let (elsewhere, privacy): ([String], [Resource]) = ([], [.copy("PrivacyInfo.xcprivacy")])
#else
    let (elsewhere, privacy): ([String], [Resource]) = (["PrivacyInfo.xcprivacy"], [])
#endif

let package = Package(
    name: "EntitySync",
    platforms: [.macOS(.v14), .iOS(.v17), .watchOS(.v10), .tvOS(.v17), .visionOS(.v1)],
    products: [
        // What an app imports: spaces, collections and accounts, without a remote. Generated code imports SyncCore.
        .library(name: "EntitySync", targets: ["EntitySync", "SyncCore"]),
        // What an app imports beside EntitySync for its remote: a folder, a server, or a Supabase project.
        .library(name: "EntitySyncFolder", targets: ["EntitySyncFolder"]),
        .library(name: "EntitySyncServer", targets: ["EntitySyncServer"]),
        .library(name: "EntitySyncSupabase", targets: ["EntitySyncSupabase"]),
        // What an app imports beside EntitySync for its views.
        .library(name: "SyncUI", targets: ["SyncUI"]),
        // What an app imports beside EntitySync to read its store with GRDB; it needs the trait.
        .library(name: "SyncGRDB", targets: ["SyncGRDB"]),
        // What a test imports: conformance suites and seeded worlds, as plain values.
        .library(name: "SyncChecks", targets: ["SyncChecks"]),
        // What a tool imports that reads schemas at run time.
        .library(name: "SyncDynamic", targets: ["SyncDynamic", "SyncSchema"]),
        // What a tool imports that writes the SQL of schemas.
        .library(name: "SyncPostgres", targets: ["SyncPostgres"]),
        // What a test or a benchmark imports that needs a PostgreSQL of its own.
        .library(name: "PostgresCluster", targets: ["PostgresCluster"]),
        // What a target applies to turn the schemas in its folder into Swift.
        .plugin(name: "EntitySyncPlugin", targets: ["EntitySyncPlugin"]),
        // What gives a package the command `swift package synccheck`.
        .plugin(name: "SyncCheckPlugin", targets: ["SyncCheckPlugin"]),
    ],
    traits: [
        .trait(
            name: "Server",
            description: "Builds syncserver's HTTP host; without it none of it is resolved."
        ),
        .trait(
            name: "GRDB",
            description: "Fills SyncGRDB, which reads a store with GRDB; without it GRDB is not resolved."
        ),
    ],
    dependencies: [
        // Only the command line uses it; an app that depends on this package never resolves it.
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        // Only the server uses it, and only with the trait.
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
        // What the server's host imports beside Hummingbird, which brings all of it anyway.
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0", traits: []),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        // Only syncserver uses it, and only with the trait (decision 0077).
        .package(url: "https://github.com/vapor/jwt-kit", from: "5.7.1"),
        // Only SyncGRDB uses it, and only with the trait. Its SQLite is the system's, as ours is.
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    ],
    targets: [
        // The version, for every program and for an app.
        .target(name: "SyncVersion"),
        // Values, descriptors, the JSON reader and writer, and the codec: what schema and runtime share.
        .target(name: "SyncModel"),
        // Ports and errors that every other module of the runtime speaks in, on top of the model.
        .target(name: "SyncCore", dependencies: ["SyncModel"]),
        // Strategy table, merges, local writes and the engine.
        .target(name: "SyncRuntime", dependencies: ["SyncCore"]),
        // When to sync: a state machine, and what drives it.
        .target(name: "SyncSchedule", dependencies: ["SyncCore", "SyncRuntime"]),
        // A store for each account, and what becomes of unsent work when people sign in and out.
        .target(name: "SyncAccounts", dependencies: ["SyncCore", "SyncRuntime"]),
        // The system's SQLite as it is.
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        // A thin wrapper over the system's SQLite.
        .target(name: "SyncSQLite", dependencies: ["CSQLite"]),
        // The local store.
        .target(name: "SyncStore", dependencies: ["SyncCore", "SyncSQLite", "SyncFiles"]),
        // Shapes of records on the way, shared by folder, client and server.
        .target(name: "SyncWire", dependencies: ["SyncCore"]),
        // The operating system's files.
        .target(name: "SyncFiles", dependencies: ["SyncCore"], exclude: elsewhere, resources: privacy),
        // A folder as remote.
        .target(name: "SyncFileBackend", dependencies: ["SyncCore", "SyncFiles", "SyncWire"]),
        // Requests to a server: transports, retries, breaker, tokens and streams. It knows no protocol.
        .target(name: "SyncHTTPClient", dependencies: ["SyncCore"]),
        // A server as remote, over protocol v1.
        .target(name: "SyncServerBackend", dependencies: ["SyncCore", "SyncWire", "SyncHTTPClient"]),
        // A Supabase project as remote: protocol v1 as a function of the database.
        .target(
            name: "SyncSupabaseBackend",
            dependencies: ["SyncCore", "SyncWire", "SyncHTTPClient", "SyncServerBackend"]
        ),
        // What an app imports, by name; it knows no remote.
        .target(
            name: "EntitySync",
            dependencies: [
                "SyncModel", "SyncCore", "SyncRuntime", "SyncSchedule", "SyncAccounts", "SyncStore",
                "SyncFiles", "SyncVersion",
            ]
        ),
        // What an app imports for its remote, by name.
        .target(name: "EntitySyncFolder", dependencies: ["SyncFileBackend"]),
        .target(
            name: "EntitySyncServer",
            dependencies: ["SyncCore", "SyncHTTPClient", "SyncServerBackend"]
        ),
        .target(
            name: "EntitySyncSupabase",
            dependencies: ["SyncHTTPClient", "SyncServerBackend", "SyncSupabaseBackend"]
        ),
        // Models for views, tested everywhere, and the views where SwiftUI exists.
        .target(name: "SyncUI", dependencies: ["SyncCore", "EntitySync"]),
        // Generated types as GRDB's records, and a GRDB reader on a store's file. Empty without the trait.
        .target(name: "SyncGRDB", dependencies: ["EntitySync", "SyncCore", "SyncStore", grdb]),
        // The authoritative change log and its request handler; it knows no host.
        .target(
            name: "SyncServer",
            dependencies: ["SyncCore", "SyncWire", "SyncSQLite", "SyncFiles"],
            resources: [.embedInCode("Resources/openapi.json")]
        ),
        // The system's client library of PostgreSQL as it is.
        .systemLibrary(name: "CPostgreSQL", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
        // A PostgreSQL as the server's store. Empty without the trait.
        .target(
            name: "SyncPostgresServer",
            dependencies: [
                "SyncServer", "SyncPostgres", "SyncSchema", "SyncDynamic", "SyncCore", "SyncWire", libpq,
            ]
        ),
        // Schema text with positions to a checked schema and diagnostics.
        .target(
            name: "SyncSchema",
            dependencies: ["SyncModel"],
            resources: [.embedInCode("Resources/entitysync.schema.json")]
        ),
        // Checked schema to Swift.
        .target(name: "SyncCodegen", dependencies: ["SyncSchema"]),
        // Checked schema to SQL: protocol v1 inside PostgreSQL.
        .target(
            name: "SyncPostgres",
            dependencies: ["SyncSchema", "SyncModel"],
            resources: [.embedInCode("SQL")]
        ),
        // Adapters made from a schema at run time.
        .target(name: "SyncDynamic", dependencies: ["SyncSchema", "SyncCore"]),
        // Conformance suites, fault injection and seeded worlds.
        .target(
            name: "SyncChecks",
            dependencies: [
                "SyncCore", "SyncRuntime", "SyncAccounts", "CSQLite", "SyncSQLite", "SyncStore", "SyncWire",
                "SyncFiles", "SyncFileBackend", "SyncHTTPClient", "SyncServerBackend", "SyncServer",
                "SyncPages",
            ]
        ),
        // What the readers of bytes from outside promise for any bytes.
        .target(
            name: "SyncFuzzing",
            dependencies: [
                "SyncCore", "SyncSchema", "SyncDynamic", "SyncWire", "SyncFileBackend", "SyncHTTPClient",
                "SyncServerBackend", "SyncServer",
            ]
        ),
        // Replays inputs through a reader; built with libFuzzer it makes its own (README, Fuzz).
        .executableTarget(name: "syncfuzz", dependencies: ["SyncFuzzing", "SyncVersion"]),
        // The library generated from Schemas/.
        .target(
            name: "SyncEntities",
            dependencies: ["SyncCore"],
            path: "Schemas",
            plugins: ["EntitySyncPlugin"]
        ),
        // The tool that the plugin runs. No dependency, so that an app builds nothing else.
        .executableTarget(name: "synccodegen", dependencies: ["SyncCodegen", "SyncSchema", "SyncVersion"]),
        // Runs synccodegen on the schemas of a target at each build.
        .plugin(name: "EntitySyncPlugin", capability: .buildTool(), dependencies: ["synccodegen"]),
        // A store as a page for people: values to HTML. It opens nothing.
        .target(name: "SyncInspector", dependencies: ["SyncCore", "SyncRuntime", "SyncPages"]),
        // The look that all pages share.
        .target(name: "SyncPages", dependencies: ["SyncModel"]),
        // The command line.
        .executableTarget(
            name: "synccheck",
            dependencies: [
                "SyncVersion", "SyncCore", "SyncRuntime", "SyncSchedule", "SyncSQLite", "SyncStore",
                "SyncFiles", "SyncFileBackend", "SyncHTTPClient", "SyncServerBackend", "SyncSupabaseBackend",
                "EntitySync", "SyncPostgresServer", "SyncSchema", "SyncCodegen", "SyncPostgres",
                "SyncDynamic", "SyncChecks", "SyncInspector",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ] + host,
            resources: [.embedInCode("Resources/demo-verses.json")]
        ),
        // Builds the command line and runs it in an app's package. It depends on no tool: SwiftPM would resolve the
        // packages of that tool for every app, whether it runs the command or not.
        .plugin(
            name: "SyncCheckPlugin",
            capability: .command(
                intent: .custom(
                    verb: "synccheck",
                    description: "Checks schemas, and reads, syncs and inspects stores of this app."
                )
            )
        ),
        // Hosts SyncServer over HTTP. Without the trait it says how to build it.
        .executableTarget(
            name: "syncserver",
            dependencies: [
                "SyncServer", "SyncPostgresServer", "SyncSchema", "SyncDynamic", "SyncCore", "SyncFiles",
                "SyncWire",
                "SyncVersion", "SyncPages", "SyncHTTPClient",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                tokens,
            ] + host
        ),
        // Waits of tests, which end when their test is cancelled.
        .target(name: "Waits", path: "Tests/Waits"),
        // Seeds that tests play: fixed ones, and others for a time.
        .target(name: "TestSeeds", path: "Tests/TestSeeds"),
        // Starts built programs for tests.
        .target(name: "ProgramRuns", path: "Tests/ProgramRuns"),
        .testTarget(name: "SyncCoreTests", dependencies: ["SyncCore", "SyncChecks", "SyncFuzzing"]),
        .testTarget(
            name: "SyncRuntimeTests",
            dependencies: [
                "SyncRuntime", "SyncSchedule", "SyncAccounts", "SyncCore", "SyncStore", "SyncFileBackend",
                "SyncChecks", "EntitySync", "Waits", "TestSeeds",
            ]
        ),
        // How many tests run at once. It limits every test of the package, as all are linked into one program.
        .target(name: "TestWidth", path: "Tests/TestWidth"),
        .testTarget(name: "SyncSQLiteTests", dependencies: ["SyncSQLite", "TestWidth"]),
        .testTarget(
            name: "SyncStoreTests",
            dependencies: [
                "SyncStore", "SyncCore", "SyncSQLite", "SyncChecks", "SyncRuntime", "SyncWire", "TestSeeds",
            ]
        ),
        .testTarget(
            name: "SyncFileBackendTests",
            dependencies: [
                "SyncCore", "SyncWire", "SyncFiles", "SyncFileBackend", "SyncChecks", "TestSeeds",
            ]
        ),
        .testTarget(name: "SyncWireTests", dependencies: ["SyncWire", "SyncCore"]),
        .testTarget(
            name: "SyncServerTests",
            dependencies: [
                "SyncServer", "SyncPostgresServer", "SyncSchema", "SyncCore", "SyncSQLite", "SyncWire",
                "SyncChecks", "PostgresCluster", "Waits",
            ]
        ),
        // Transports, waits and tokens for tests of what is on top of the HTTP client.
        .target(
            name: "HTTPDoubles",
            dependencies: ["SyncCore", "SyncHTTPClient", "SyncChecks"],
            path: "Tests/HTTPDoubles"
        ),
        .testTarget(
            name: "SyncHTTPClientTests",
            dependencies: ["SyncHTTPClient", "SyncCore", "HTTPDoubles", "SyncChecks", "ProgramRuns", "Waits"]
        ),
        .testTarget(
            name: "SyncServerBackendTests",
            dependencies: [
                "SyncServerBackend", "SyncHTTPClient", "SyncCore", "SyncWire", "SyncRuntime", "SyncServer",
                "SyncChecks", "HTTPDoubles", "Waits",
            ]
        ),
        // A PostgreSQL of its own for tests.
        .target(
            name: "PostgresCluster",
            dependencies: ["ProgramRuns"],
            path: "Tests/PostgresCluster"
        ),
        .testTarget(
            name: "SyncPostgresServerTests",
            dependencies: [
                "SyncPostgresServer", "SyncPostgres", "SyncServer", "SyncSchema", "SyncDynamic", "SyncCore",
                "SyncWire", "SyncHTTPClient", "SyncServerBackend", "SyncChecks", "PostgresCluster",
            ],
            exclude: ["Former"]
        ),
        // A stand-in for PostgREST, and connections to a database. Empty without the trait.
        .target(
            name: "PostgRESTDouble",
            dependencies: ["SyncCore", "SyncServer", "SyncChecks", libpq] + host,
            path: "Tests/PostgRESTDouble"
        ),
        .testTarget(
            name: "SyncSupabaseBackendTests",
            dependencies: [
                "SyncSupabaseBackend", "SyncPostgres", "SyncSchema", "SyncDynamic", "SyncCore",
                "SyncHTTPClient", "SyncServerBackend", "SyncRuntime", "SyncStore", "SyncChecks",
                "PostgresCluster", "PostgRESTDouble", "ProgramRuns", "synccheck",
            ]
        ),
        .testTarget(
            name: "SyncserverTests",
            dependencies: [
                "syncserver", "synccheck", "SyncServer", "SyncCore", "SyncWire", "SyncChecks", "SyncVersion",
                "SyncSchema", "SyncDynamic", "SyncHTTPClient", "ProgramRuns", "PostgresCluster",
                "ChromiumBrowser", "SyncServerBackend", "SyncRuntime", "SyncStore", "HTTPDoubles",
                lifecycle, tokens,
            ]
        ),
        .testTarget(
            name: "SyncChecksTests",
            dependencies: [
                "SyncChecks", "SyncFileBackend", "SyncDynamic", "SyncSchema", "SyncSQLite", "SyncStore",
                "SyncServer", "SyncCore", "SyncWire", "SyncHTTPClient", "SyncServerBackend", "SyncRuntime",
                "SyncPages", "SyncEntities", "ChromiumBrowser", "TestSeeds",
            ],
            exclude: ["Golden"]
        ),
        .testTarget(
            name: "SyncFuzzingTests",
            dependencies: ["SyncFuzzing", "syncfuzz", "SyncVersion", "ProgramRuns"]
        ),
        .testTarget(name: "SyncSchemaTests", dependencies: ["SyncSchema", "TestSeeds"]),
        .testTarget(
            name: "SyncCodegenTests",
            dependencies: [
                "SyncCodegen", "SyncSchema", "SyncCore", "SyncVersion", "ProgramRuns",
            ]
        ),
        .testTarget(
            name: "SyncPostgresTests",
            dependencies: ["SyncPostgres", "SyncSchema"],
            exclude: ["Golden"]
        ),
        .testTarget(
            name: "SyncDynamicTests",
            dependencies: [
                "SyncDynamic", "SyncCore", "SyncRuntime", "SyncSchema", "SyncEntities", "SyncChecks",
            ]
        ),
        .testTarget(
            name: "EntitySyncTests",
            dependencies: [
                "SyncCore", "SyncRuntime", "SyncStore", "SyncFileBackend", "SyncHTTPClient",
                "SyncServerBackend", "EntitySync", "EntitySyncServer", "SyncServer", "SyncChecks",
                "SyncEntities", "Waits", "TestSeeds",
            ],
            plugins: ["EntitySyncPlugin"]
        ),
        .testTarget(
            name: "SyncUITests",
            dependencies: [
                "SyncFileBackend", "SyncCore", "EntitySync", "SyncUI", "SyncEntities", "Waits",
            ]
        ),
        // Compiles the sources for Apple's platforms against declarations of what they use there.
        .testTarget(
            name: "AppleTests",
            dependencies: ["ProgramRuns", "synccheck"],
            exclude: ["StandIn", "apis.txt"]
        ),
        .testTarget(
            name: "DocumentationTests",
            dependencies: [
                "SyncVersion", "SyncCore", "EntitySync", "EntitySyncFolder", "EntitySyncServer",
                "EntitySyncSupabase", "SyncUI", "SyncServer", "SyncSchema", "SyncChecks",
                "SyncEntities", "Waits",
            ]
        ),
        .testTarget(name: "SampleTests", dependencies: ["ProgramRuns", "Waits"]),
        .testTarget(
            name: "SealTests",
            dependencies: [
                "SyncCore", "SyncRuntime", "SyncStore", "EntitySync", "EntitySyncFolder",
                "EntitySyncServer", "EntitySyncSupabase", "synccheck", "ProgramRuns",
            ],
            exclude: ["face.txt"]
        ),
        // A headless Chromium for tests of pages.
        .target(name: "ChromiumBrowser", dependencies: ["ProgramRuns"], path: "Tests/ChromiumBrowser"),
        .testTarget(
            name: "SyncInspectorTests",
            dependencies: [
                "SyncInspector", "SyncPages", "SyncCore", "SyncRuntime", "SyncStore", "SyncServer",
                "ProgramRuns",
                "ChromiumBrowser", "synccheck",
            ]
        ),
        .testTarget(
            name: "SyncCheckTests",
            dependencies: [
                "SyncVersion", "SyncCore", "SyncRuntime", "SyncSchedule", "SyncStore", "SyncHTTPClient",
                "EntitySync", "SyncChecks", "SyncInspector", "synccheck", "ProgramRuns",
                "PostgresCluster",
            ]
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

// What is built alone, each with the variable that says so: what the thread sanitizer looks at (`.ci/run`), a copy of the
// package with safeguards as switches (`Tests/Mutations/apply`), and what libFuzzer drives, which brings a main of its own
// that no other program can be linked with. What they do not need is not built for them.
let alone: [String: Set<String>] = [
    "SYNCTHREADS": [
        "SyncSQLiteTests", "SyncStoreTests", "SyncHTTPClientTests", "SyncServerBackendTests",
        "SyncRuntimeTests", "EntitySyncTests", "TestWidth",
    ],
    "SYNCMUTATIONS": ["SyncRuntimeTests", "SyncServerBackendTests", "SyncChecksTests", "TestWidth"],
    "SYNCFUZZ": ["syncfuzz"],
]
let variable = alone.keys.first { Context.environment[$0] != nil }
if let variable, var kept = alone[variable] {
    var count = 0
    while kept.count > count {
        count = kept.count
        for target in package.targets where kept.contains(target.name) {
            for dependency in target.dependencies {
                if case .byNameItem(let name, _) = dependency { kept.insert(name) }
            }
            for case .plugin(let name, _) in target.plugins ?? [] { kept.insert(name) }
        }
    }
    package.targets.removeAll { !kept.contains($0.name) }
    package.products = []
    package.dependencies = []
}
if variable == "SYNCFUZZ" {
    package.targets.last { $0.name == "syncfuzz" }?.swiftSettings?.append(.define("FUZZ"))
}
if variable == "SYNCMUTATIONS" {
    for target in package.targets { target.swiftSettings?.append(.define("Mutations")) }
}
