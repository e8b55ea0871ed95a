import Foundation
import Testing

/// A record's state is written in one place: `RecordPlace.perform`, and what a header alone decides beside it.
@Suite struct StateWriterTests {
    /// The store's methods that write a record's state, as they are called.
    private static var writes: [Regex<Substring>] {
        [
            #/\bsave\(entity: \w+, record: (?:local|LocalRecord)/#, #/\bsave\(entity: \w+, change: /#,
            #/\binsert\(entity: \w+, change: /#, #/\backnowledge\(entity: /#, #/\bsetSide\(entity: /#,
            #/\bsetHeads\(entity: /#, #/\bupdate\(entity: \w+, key: \w+, header: /#,
            #/(?:transaction\.|try |\$0\.)remove\(entity: (?:entity|descriptor), key: /#,
        ]
    }

    /// Files that call them, each with its reason.
    private static let writers = [
        "Sources/SyncRuntime/Record/RecordPlace+Perform.swift": "writes what `Reconcile` decides",
        "Sources/SyncRuntime/Record/StoreTransaction+Header.swift": "writes what a header alone decides",
        "Sources/SyncChecks/EntityLaws.swift": "checks a store's round trip, on a store of its own",
    ]

    @Test func aRecordsStateIsWrittenInOnePlace() throws {
        let writes = Self.writes
        var found: Set<String> = []
        for file in try Repository.swiftFiles(folders: "Sources") where file.module != "SyncStore" {
            for line in file.lines where line.holds("(entity: ") && !line.holds("func ") && !line.holds("///")
            {
                guard writes.contains(where: { line.firstMatch(of: $0) != nil }) else { continue }
                let isKnown = Self.writers[file.path] != nil || Self.isOther(line: line)
                #expect(isKnown, "\(file.path) writes a record's state: \(line)")
                if !Self.isOther(line: line) { found.insert(file.path) }
            }
        }
        #expect(found == Set(Self.writers.keys))
    }

    /// Calls of the same name that are about something else: conflicts that a person was shown.
    private static func isOther(line: String) -> Bool {
        line.contains("shown.remove(")
            || line.trimmingCharacters(in: .whitespaces) == "remove(entity: entity, key: key)"
    }
}
