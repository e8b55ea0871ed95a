import Foundation
import Testing

@Suite struct HouseTests {
    /// What each room may import beside the rooms that the manifest gives it. The manifest is the one graph of rooms, and
    /// `ManifestTests` holds it to what the rooms import.
    static let mayImport: [String: Set<String>] = [
        "SyncModel": ["Foundation"],
        "SyncCore": ["Foundation"],
        "SyncStore": ["Foundation"],
        "SyncFileBackend": ["Foundation"],
        "SyncHTTPClient": ["Foundation", "FoundationNetworking"],
        "EntitySync": ["Foundation", "Network", "BackgroundTasks", "Observation"],
        "SyncUI": ["Foundation", "Observation", "SwiftUI"],
        "SyncGRDB": ["Foundation", "GRDB"],
        "SyncServer": ["Foundation"],
        "SyncPostgresServer": ["CPostgreSQL", "Foundation"],
        "syncserver": [
            "Foundation", "Dispatch", "ArgumentParser", "JWTKit", "Hummingbird", "HummingbirdCore",
            "HTTPTypes",
            "Logging", "NIOCore", "NIOPosix", "NIOHTTP1", "NIOHTTPTypes", "ServiceLifecycle", "UnixSignals",
        ],
        "SyncSchema": ["Foundation"],
        "SyncChecks": ["Foundation"],
        "syncfuzz": ["Foundation"],
        "synccodegen": ["Foundation"],
        "synccheck": [
            "Foundation", "Dispatch", "ArgumentParser", "HummingbirdCore", "HTTPTypes", "Logging", "NIOCore",
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
        let rooms = Set(try ManifestTests.targets().map(\.name)).union(["CSQLite"])
        for file in try Repository.swiftFiles(folders: "Sources") {
            #expect(rooms.contains(file.module), "\(file.path): the manifest has no such room")
            let allowed = rooms.union(Self.mayImport[file.module] ?? [])
            for line in file.lines {
                guard let module = Self.importedModule(line: line) else { continue }
                let isC = Self.cLibrary.contains(module) && Self.roomsWithC.contains(file.module)
                #expect(allowed.contains(module) || isC, "\(file.path) imports \(module)")
            }
        }
    }

    /// The tables that people read say what the manifest says.
    @Test func thePagesShowTheRoomsOfTheManifest() throws {
        let targets = try ManifestTests.targets().filter { $0.folder.hasPrefix("Sources/") }
        let readme = try Self.table(in: "README.md", headed: "| room |")
        let page = try Self.table(
            in: "Sources/EntitySync/EntitySync.docc/WorkingOnTheCode.md",
            headed: "| module |"
        )
        let rooms = Set(targets.map(\.name))
        for target in targets {
            #expect(readme.contains { $0[0].contains("`\(target.name)`") }, "README: \(target.name)")
            let row = try #require(page.first { $0[0].contains("`\(target.name)`") }, "\(target.name)")
            let known = Set(row[2].matches(of: /`(?<name>\w+)`/).map { String($0.output.name) })
            // Rows of several rooms, and of those that know nearly all, say it in words.
            guard row[0].matches(of: /`/).count == 2, row[2].isEmpty || !known.isEmpty else { continue }
            #expect(known == target.dependencies.intersection(rooms), "\(target.name)")
        }
    }

    /// The cells of a table, row by row, from the row after its head.
    private static func table(in path: String, headed head: String) throws -> [[String]] {
        let text = try String(contentsOf: Repository.root.appendingPathComponent(path), encoding: .utf8)
        let lines = text.components(separatedBy: "\n").drop { !$0.hasPrefix(head) }.prefix {
            $0.hasPrefix("|")
        }
        return lines.dropFirst(2).map { line in
            line.split(separator: "|", omittingEmptySubsequences: false).dropFirst().dropLast().map {
                $0.trimmingCharacters(in: .whitespaces)
            }
        }
    }

    /// What an app imports is the same code with each trait: it is enough to build it once.
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

    /// `fsync` alone leaves bytes in the drive's own cache on Apple's systems; one function knows that.
    @Test func oneFunctionWaitsForTheDisk() throws {
        let files = try Repository.swiftFiles(folders: "Sources").filter { file in
            file.lines.contains { $0.holds("fsync(") || $0.holds("F_FULLFSYNC") }
        }
        #expect(files.map(\.path) == ["Sources/SyncFiles/DescriptorIO.swift"])
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
