import SyncChecks
import SyncCore
import Testing

@testable import SyncRuntime

/// A child whose parent the remote does not show to this device waits for nothing.
@Suite struct PartlyShownParentTests {
    private static let project = EntityDescriptor(
        name: "project",
        typeName: "Project",
        fields: [
            FieldDescriptor(name: "id", type: .string(), isRequired: true),
            FieldDescriptor(name: "team", type: .string()),
        ],
        key: ["id"],
        strategy: .lastWriteWins
    )
    private static let task = EntityDescriptor(
        name: "task",
        typeName: "Job",
        fields: [
            FieldDescriptor(name: "id", type: .string(), isRequired: true),
            FieldDescriptor(name: "projectId", type: .string()),
        ],
        key: ["id"],
        strategy: .lastWriteWins,
        references: [ReferenceDescriptor(field: "projectId", entity: "project", onDelete: .cascade)]
    )

    private func change(entity: EntityDescriptor, json: String, number: Int64) -> Change {
        let timestamp = EditTimestamp(
            time: Timestamp(microseconds: 1_000),
            device: DeviceID(bits: 99),
            sequence: number
        )
        let header = Change.Header(
            entity: entity.name,
            key: RecordKey(entity.name + "1"),
            kind: .upsert,
            metadata: VersionMetadata(first: timestamp),
            revision: Revision("\(number)")
        )
        return Change(header, body: Array(json.utf8))
    }

    private func take(_ pages: [RemotePage], store: any LocalStore) throws -> Int {
        let entities = [Self.project, Self.task]
        let sync = SyncRunState(
            entities: entities,
            device: DeviceID(bits: 1),
            remote: PulledRemote(capabilities: [.tombstones, .scopes]),
            now: Timestamp(microseconds: 2_000)
        )
        var pulling = Pull(sync)
        try store.write(.pulled) { try pulling.take(pages, transaction: $0) }
        return try store.read { try SyncStatus(snapshot: $0, entities: entities).orphaned }
    }

    private var tasks: RemotePage {
        let json = #"{"id":"task1","projectId":"project1"}"#
        return RemotePage(changes: [change(entity: Self.task, json: json, number: 1)], cursor: "1")
    }

    private func projects(_ scope: SnapshotScope, _ absence: RemotePage.Absence) -> RemotePage {
        let kind = PageKind.snapshot(of: [scope], isFirst: true, isComplete: true)
        var page = RemotePage(kind: kind, changes: [], cursor: "2")
        page.absence = absence
        return page
    }

    @Test func aChildOfAParentOutsideTheScopeIsNoOrphan() async throws {
        try await withWorld(count: 1, entities: Self.project, Self.task) { world in
            let store = world.devices[0].store
            let count1 = try take([tasks], store: store)
            #expect(count1 == 1)
            let scope = SnapshotScope(entity: "project", fields: ["team": .text("mine")])
            let count2 = try take([projects(scope, .outOfScope)], store: store)
            #expect(count2 == 0)
            // Once the remote shows all projects, one that is missing is missing.
            let count3 = try take([projects(SnapshotScope(entity: "project"), .deleted)], store: store)
            #expect(count3 == 1)
        }
    }

    @Test func aChildWhoseParentLeftTheScopeIsNoOrphan() async throws {
        try await withWorld(count: 1, entities: Self.project, Self.task) { world in
            let store = world.devices[0].store
            let project = change(entity: Self.project, json: #"{"id":"project1","team":"mine"}"#, number: 2)
            let left = Change(
                Change.Header(
                    entity: "project",
                    key: RecordKey("project1"),
                    kind: .outOfScope,
                    metadata: nil
                ),
                body: [UInt8]()
            )
            let arrived = RemotePage(changes: [project], cursor: "0")
            let count4 = try take([arrived, tasks], store: store)
            #expect(count4 == 0)
            let count5 = try take([RemotePage(changes: [left], cursor: "3")], store: store)
            #expect(count5 == 0)
        }
    }
}
