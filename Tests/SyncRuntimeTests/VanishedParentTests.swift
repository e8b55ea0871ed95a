import SyncChecks
import SyncCore
import Testing

@testable import SyncRuntime

/// What follows for children when a remote without tombstones no longer shows their parent.
@Suite struct VanishedParentTests {
    private let shelf = EntityDescriptor(
        name: "shelf",
        typeName: "Shelf",
        fields: [FieldDescriptor(name: "id", type: .string(), isRequired: true)],
        key: ["id"],
        strategy: .lastWriteWins
    )

    private func box(_ rule: DeleteRule) -> EntityDescriptor {
        EntityDescriptor(
            name: "box",
            typeName: "Box",
            fields: [
                FieldDescriptor(name: "id", type: .string(), isRequired: true),
                FieldDescriptor(name: "shelfId", type: .string(), isNullable: true),
            ],
            key: ["id"],
            strategy: .lastWriteWins,
            references: [ReferenceDescriptor(field: "shelfId", entity: "shelf", onDelete: rule)]
        )
    }

    /// A complete listing of both entities.
    private func page(shelves: [String], boxes: [String: String]) -> RemotePage {
        func change(_ entity: String, _ key: String, body: String) -> Change {
            let header = Change.Header(
                entity: entity,
                key: RecordKey(key),
                metadata: nil,
                revision: Revision("1")
            )
            return Change(header, body: Array(body.utf8))
        }
        return RemotePage(
            kind: .snapshot(
                of: [SnapshotScope(entity: "shelf"), SnapshotScope(entity: "box")],
                isFirst: true,
                isComplete: true
            ),
            changes: shelves.map { change("shelf", $0, body: #"{"id":"\#($0)"}"#) }
                + boxes.sorted { $0.key < $1.key }.map { key, shelf in
                    change("box", key, body: #"{"id":"\#(key)","shelfId":"\#(shelf)"}"#)
                },
            cursor: "c"
        )
    }

    private func take(_ page: RemotePage, device: World.Device, entities: [EntityDescriptor]) throws {
        let sync = SyncRunState(
            entities: entities,
            device: DeviceID(bits: 1),
            remote: PulledRemote(author: DeviceID(bits: 9), capabilities: [.compareAndSet, .revisions]),
            now: device.clock.now()
        )
        var pulling = Pull(sync)
        try device.store.write(.pulled) {
            try pulling.take([page], transaction: $0)
            try pulling.sync.resolve($0)
        }
        #expect(pulling.diagnostics.isEmpty)
    }

    @Test(arguments: [DeleteRule.cascade, .nullify])
    func itsChildrenFollowItAsTheyFollowADelete(rule: DeleteRule) async throws {
        let box = box(rule)
        try await withWorld(count: 1, entities: shelf, box) { world in
            let device = world.devices[0]
            let boxes = ["b1": "s1", "b2": "s2"]
            try take(
                page(shelves: ["s1", "s2", "s3"], boxes: boxes),
                device: device,
                entities: [shelf, box]
            )
            try take(page(shelves: ["s2", "s3"], boxes: boxes), device: device, entities: [shelf, box])
            #expect(try device.export(entity: shelf).count == 2)
            let child = try #require(try device.local(entity: box, key: "b1"))
            #expect(child.state == .pending, "the remote has to learn of it")
            #expect(child.version.isDeleted == (rule == .cascade))
            if rule == .nullify { #expect(child.version.record.values[1] ?? .null == .null) }
            let other = try #require(try device.local(entity: box, key: "b2"))
            #expect(other.state == .synced && !other.version.isDeleted)
        }
    }

    @Test func aParentThatComesBackIsThereAgain() async throws {
        let box = box(.keep)
        try await withWorld(count: 1, entities: shelf, box) { world in
            let device = world.devices[0]
            let all = page(shelves: ["s1", "s2", "s3"], boxes: [:])
            try take(all, device: device, entities: [shelf, box])
            try take(page(shelves: ["s2", "s3"], boxes: [:]), device: device, entities: [shelf, box])
            try take(all, device: device, entities: [shelf, box])
            #expect(try device.export(entity: shelf).count == 3)
        }
    }
}
