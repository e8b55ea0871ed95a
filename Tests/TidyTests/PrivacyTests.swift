import Foundation
import Testing

/// The privacy manifest says what the code does, and every product of an app that needs it brings it along.
///
/// Categories, symbols and reasons are Apple's: "Describing use of required reason API",
/// https://developer.apple.com/documentation/bundleresources/describing-use-of-required-reason-api
@Suite struct PrivacyTests {
    /// What Apple wants a reason for, by category.
    private static let symbols: [String: Set<String>] = [
        "FileTimestamp": [
            "creationDate", "modificationDate", "fileModificationDate", "contentModificationDateKey",
            "creationDateKey", "getattrlist", "getattrlistbulk", "fgetattrlist", "stat", "fstat", "fstatat",
            "lstat", "getattrlistat",
        ],
        "SystemBootTime": ["systemUptime", "mach_absolute_time"],
        "DiskSpace": [
            "volumeAvailableCapacityKey", "volumeAvailableCapacityForImportantUsageKey",
            "volumeAvailableCapacityForOpportunisticUsageKey", "volumeTotalCapacityKey", "systemFreeSize",
            "systemSize", "statfs", "statvfs", "fstatfs", "fstatvfs",
        ],
        "ActiveKeyboards": ["activeInputModes"],
        "UserDefaults": ["UserDefaults"],
    ]

    /// The reasons that may be given, for the categories in use.
    private static let reasons: [String: Set<String>] = [
        // Files in the app's container or its group's, and those that a person has granted access to.
        "FileTimestamp": ["C617.1", "3B52.1"]
    ]

    /// What an app links. The other products are for tests and tools, which no store sees.
    private static let products = [
        "EntitySync", "EntitySyncFolder", "EntitySyncServer", "EntitySyncSupabase", "SyncUI", "SyncGRDB",
    ]

    private static let home = "SyncFiles"

    @Test func theManifestDeclaresWhatTheCodeUsesAndNoMore() throws {
        let file = Repository.root.appendingPathComponent("Sources/\(Self.home)/PrivacyInfo.xcprivacy")
        let manifest = try #require(
            try PropertyListSerialization.propertyList(from: Data(contentsOf: file), format: nil)
                as? [String: Any]
        )
        #expect(manifest["NSPrivacyTracking"] as? Bool == false)
        #expect((manifest["NSPrivacyTrackingDomains"] as? [String])?.isEmpty == true)
        #expect((manifest["NSPrivacyCollectedDataTypes"] as? [[String: Any]])?.isEmpty == true)
        let entries = try #require(manifest["NSPrivacyAccessedAPITypes"] as? [[String: Any]])
        var declared: [String: Set<String>] = [:]
        for entry in entries {
            let type = try #require(entry["NSPrivacyAccessedAPIType"] as? String)
            let reasons = try #require(entry["NSPrivacyAccessedAPITypeReasons"] as? [String])
            declared[type.replacingOccurrences(of: "NSPrivacyAccessedAPICategory", with: "")] = Set(reasons)
        }
        let used = try Self.products.flatMap(Self.rooms).reduce(into: Set<String>()) {
            $0.formUnion(try Self.categories(room: $1))
        }
        #expect(Set(declared.keys) == used)
        #expect(declared == Self.reasons)
    }

    @Test func everyProductThatNeedsTheManifestBringsIt() throws {
        let manifest = try String(
            contentsOf: Repository.root.appendingPathComponent("Package.swift"),
            encoding: .utf8
        )
        #expect(
            manifest.contains(
                "name: \"\(Self.home)\", dependencies: [\"SyncCore\"], exclude: elsewhere, resources: privacy"
            )
        )
        var needing: [String] = []
        for product in Self.products {
            #expect(manifest.contains(".library(name: \"\(product)\""))
            let rooms = try Self.rooms(product: product)
            guard try rooms.contains(where: { try !Self.categories(room: $0).isEmpty }) else { continue }
            needing.append(product)
            #expect(rooms.contains(Self.home), "\(product) does not bring the manifest")
        }
        #expect(needing.contains("EntitySync") && needing.contains("EntitySyncFolder"))
    }

    @Test func whatNeedsAReasonIsFound() throws {
        #expect(
            Self.categories(line: "        guard fstat(handle, &status) == 0 else {") == ["FileTimestamp"]
        )
        #expect(Self.categories(line: "let date = attributes[.modificationDate]") == ["FileTimestamp"])
        #expect(Self.categories(line: "// stat tells the size") == [])
        #expect(Self.categories(line: "var status = states()") == [])
        #expect(try Self.categories(room: "synccheck") == ["FileTimestamp", "DiskSpace"])
    }

    /// The rooms that a product links.
    private static func rooms(product: String) throws -> Set<String> {
        let targets = try ManifestTests.targets()
        var rooms: Set<String> = []
        var waiting = [product]
        while let name = waiting.popLast() {
            guard rooms.insert(name).inserted else { continue }
            waiting +=
                targets.first { $0.name == name }?.dependencies.filter { name in
                    targets.contains { $0.name == name }
                } ?? []
        }
        return rooms
    }

    private static func categories(room: String) throws -> Set<String> {
        guard FileManager.default.fileExists(atPath: Repository.root.path + "/Sources/" + room) else {
            return []
        }
        return try Repository.swiftFiles(folders: "Sources/\(room)").flatMap(\.lines).reduce(into: []) {
            $0.formUnion(categories(line: $1))
        }
    }

    private static func categories(line: String) -> Set<String> {
        let code = line.components(separatedBy: "//")[0]
        let words = Set(code.matches(of: /(?:[.]|\b)(?<name>\w+)/).map { String($0.output.name) })
        return Set(symbols.filter { !$0.value.isDisjoint(with: words) }.keys)
    }
}
