import Foundation
import Testing

@Suite struct HouseTests {
    /// What each room may import. Arrows point to what a module knows.
    static let mayImport: [String: Set<String>] = [
        "SyncVersion": [],
        "SyncModel": ["Foundation"],
        "SyncCore": ["SyncModel", "Foundation"],
        "SyncRuntime": ["SyncCore"],
        "SyncSQLite": ["CSQLite"],
        "SyncStore": ["SyncCore", "SyncSQLite", "Foundation"],
        "SyncWire": ["SyncCore"],
        "SyncFiles": ["SyncCore"],
        "SyncFileBackend": ["SyncCore", "SyncFiles", "SyncWire"],
        "SyncHTTPClient": ["SyncCore", "Foundation", "FoundationNetworking"],
        "SyncServerBackend": ["SyncCore", "SyncWire", "SyncHTTPClient"],
        "SyncSupabaseBackend": ["SyncCore", "SyncWire", "SyncHTTPClient", "SyncServerBackend"],
        "EntitySync": [
            "SyncModel", "SyncCore", "SyncRuntime", "SyncStore", "SyncFiles", "SyncVersion", "Foundation",
            "Network", "UIKit", "BackgroundTasks", "Observation",
        ],
        "EntitySyncFolder": ["SyncFileBackend"],
        "EntitySyncServer": ["SyncCore", "SyncHTTPClient", "SyncServerBackend"],
        "EntitySyncSupabase": ["SyncHTTPClient", "SyncServerBackend", "SyncSupabaseBackend"],
        "SyncUI": ["EntitySync", "SyncCore", "Foundation", "Observation", "SwiftUI"],
        "SyncGRDB": ["EntitySync", "SyncCore", "SyncStore", "Foundation", "GRDB"],
        "SyncServer": ["SyncCore", "SyncWire", "SyncSQLite", "SyncDynamic", "Foundation"],
        "SyncPostgresServer": [
            "SyncServer", "SyncPostgres", "SyncSchema", "SyncDynamic", "SyncCore", "SyncWire", "CPostgreSQL",
            "Foundation",
        ],
        "syncserver": [
            "SyncServer", "SyncPostgresServer", "SyncCore", "SyncWire", "SyncSchema", "SyncDynamic",
            "SyncVersion", "SyncPages", "SyncHTTPClient", "Foundation", "Dispatch",
            "ArgumentParser", "JWTKit",
            "Hummingbird", "HummingbirdCore", "HTTPTypes", "Logging", "NIOCore", "NIOPosix", "NIOHTTP1",
            "NIOHTTPTypes", "ServiceLifecycle", "UnixSignals",
        ],
        "SyncSchema": ["SyncModel", "Foundation"],
        "SyncCodegen": ["SyncSchema"],
        "SyncPostgres": ["SyncModel", "SyncSchema"],
        "SyncDynamic": ["SyncSchema", "SyncCore"],
        "SyncChecks": [
            "SyncCore", "SyncRuntime", "SyncStore", "SyncWire", "SyncFiles", "SyncFileBackend",
            "SyncHTTPClient",
            "SyncServerBackend",
            "SyncDynamic", "SyncServer", "SyncSQLite", "SyncPages", "CSQLite", "Foundation",
        ],
        "SyncFuzzing": [
            "SyncCore", "SyncSchema", "SyncDynamic", "SyncWire", "SyncFileBackend", "SyncHTTPClient",
            "SyncServerBackend",
            "SyncServer",
        ],
        "SyncPages": ["SyncModel"],
        "SyncInspector": ["SyncCore", "SyncRuntime", "SyncPages"],
        "syncfuzz": ["SyncFuzzing", "SyncVersion", "Foundation"],
        "synccodegen": ["SyncSchema", "SyncCodegen", "SyncVersion", "Foundation"],
        "synccheck": [
            "EntitySync", "SyncCore", "SyncRuntime", "SyncStore", "SyncWire", "SyncFileBackend", "SyncSchema",
            "SyncCodegen", "SyncPostgres", "SyncDynamic", "SyncChecks", "SyncHTTPClient", "SyncServerBackend",
            "SyncSupabaseBackend", "SyncPostgresServer",
            "SyncSQLite", "SyncInspector", "Foundation",
            "SyncVersion", "Dispatch", "ArgumentParser", "HummingbirdCore", "HTTPTypes", "Logging", "NIOCore",
            "NIOPosix", "ServiceLifecycle", "UnixSignals",
        ],
    ]

    /// The system's C library, for rooms that touch files or memory.
    static let cLibrary: Set<String> = ["Glibc", "Musl", "Darwin", "Android", "Bionic"]
    static let roomsWithC: Set<String> = [
        "SyncSQLite", "SyncStore", "SyncFiles", "EntitySync", "synccheck", "synccodegen", "SyncServer",
        "syncserver", "SyncHTTPClient", "SyncPostgresServer",
    ]

    @Test func everyRoomImportsOnlyWhatTheHouseAllows() throws {
        for file in try Repository.swiftFiles(folders: "Sources") {
            let allowed = try #require(Self.mayImport[file.module], "\(file.path): no rule for this room")
            for line in file.lines {
                guard let module = Self.importedModule(line: line) else { continue }
                let isC = Self.cLibrary.contains(module) && Self.roomsWithC.contains(file.module)
                #expect(allowed.contains(module) || isC, "\(file.path) imports \(module)")
            }
        }
    }

    /// What an app imports is the same code with each trait: it is enough to build it once. `Mutations` is for tests.
    @Test func aTraitChangesOnlyItsOwnRooms() throws {
        let rooms: [String: Set<String>] = [
            "Server": ["SyncPostgresServer", "synccheck", "syncserver"], "GRDB": ["SyncGRDB"],
        ]
        var found: [String: Set<String>] = [:]
        for file in try Repository.swiftFiles(folders: "Sources", "Schemas") {
            for line in file.lines where line.holds("#if") || line.holds("#elseif") {
                for trait in rooms.keys where line.split(separator: " ").contains(Substring(trait)) {
                    found[trait, default: []].insert(file.module)
                }
            }
        }
        #expect(found == rooms)
    }

    @Test func theTopLevelHoldsNothingElse() throws {
        let allowed: Set<String> = [
            "Package.swift", "Sources", "Plugins", "Tests", "Schemas", "README.md", "LICENSE",
            "Package.resolved",
        ]
        let names = try FileManager.default.contentsOfDirectory(atPath: Repository.root.path)
        for name in names where !name.hasPrefix(".") { #expect(allowed.contains(name), "\(name)") }
    }

    @Test func generatedCodeAndPluginKnowNoPackage() throws {
        for file in try Repository.swiftFiles(folders: "Plugins", "Schemas") {
            for line in file.lines {
                guard let module = Self.importedModule(line: line) else { continue }
                #expect(
                    ["PackagePlugin", "XcodeProjectPlugin", "Foundation", "SyncCore"].contains(module),
                    "\(file.path): \(module)"
                )
            }
        }
    }

    static func importedModule(line: String) -> String? {
        let words = line.split(separator: " ").filter {
            !["public", "package", "internal", "@testable", "@_exported", "private"].contains($0)
        }
        guard words.count >= 2, words[0] == "import", !line.hasPrefix(" ") || line.holds("import ") else {
            return nil
        }
        return String(words.count > 2 ? words[2] : words[1]).split(separator: ".").first.map(String.init)
    }
}
