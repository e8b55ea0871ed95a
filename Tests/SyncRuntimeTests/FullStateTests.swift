import SyncChecks
import SyncCore
import Testing

@testable import SyncRuntime

/// What a remote's full state says, and what it does not say.
@Suite struct FullStateTests {
    static let note = ScratchEntities.all[0]
    private let device = DeviceID(bits: 0x0123_4567_89ab_cdef)

    /// A complete page of notes: each title with its key, or bytes that are no note.
    private func page(bodies: [String: String], revision: String) -> RemotePage {
        var page = RemotePage(
            kind: .snapshot(of: [SnapshotScope(entity: Self.note.name)], isFirst: true, isComplete: true),
            changes: [],
            cursor: "c" + revision
        )
        for (sequence, (key, body)) in bodies.sorted(by: { $0.key < $1.key }).enumerated() {
            let editTimestamp = EditTimestamp(
                time: Timestamp(microseconds: 1_000),
                device: device,
                sequence: Int64(sequence + 1) + (revision == "1" ? 0 : 100)
            )
            page.changes.append(
                Change(
                    Change.Header(
                        entity: Self.note.name,
                        key: RecordKey(key),
                        kind: .upsert,
                        metadata: VersionMetadata(first: editTimestamp),
                        revision: Revision(revision)
                    ),
                    body: Array(body.utf8)
                )
            )
        }
        return page
    }

    /// A note as it goes over the wire; a title that is none makes it unreadable.
    private func body(key: String, title: String = #""t""#) -> String {
        let time = "2025-12-25T09:21:01Z"
        return #"{"id":"\#(key)","title":\#(title),"createdAt":"\#(time)","updatedAt":"\#(time)"}"#
    }

    private func take(_ page: RemotePage, store: any LocalStore) throws {
        let remote = PulledRemote(capabilities: [.tombstones, .scopes])
        let now = Timestamp(microseconds: 2_000)
        var pulling = Pull(SyncRunState(entities: [Self.note], device: device, remote: remote, now: now))
        try store.write(.pulled) { try pulling.take([page], transaction: $0) }
    }

    private func keys(store: any LocalStore) throws -> [String] {
        var keys: [String] = []
        try store.read {
            try $0.scan(entity: Self.note, includeHidden: true) { keys.append($0.version.key.text) }
        }
        return keys
    }

    @Test func onlyWhatItDoesNotHoldIsGone() async throws {
        try await withWorld(count: 1, entities: Self.note) { world in
            let store = world.devices[0].store
            try take(
                page(bodies: ["a": body(key: "a"), "b": body(key: "b"), "c": body(key: "c")], revision: "1"),
                store: store
            )
            #expect(try keys(store: store) == ["a", "b", "c"])
            try take(page(bodies: ["a": body(key: "a"), "c": body(key: "c")], revision: "1"), store: store)
            #expect(try keys(store: store) == ["a", "c"])
        }
    }

    @Test func aRecordThatCannotBeReadIsNotTakenForAbsent() async throws {
        try await withWorld(count: 1, entities: Self.note) { world in
            let store = world.devices[0].store
            try take(page(bodies: ["a": body(key: "a")], revision: "1"), store: store)
            try take(page(bodies: ["a": body(key: "a", title: "7")], revision: "2"), store: store)
            #expect(try keys(store: store) == ["a"])
            #expect(try store.read { try $0.rejections() }.count == 1)
        }
    }

    /// Half of a surrogate pair.
    @Test func aRecordThatIsNoUnicodeIsSetAsideAloneWithItsBytes() async throws {
        try await withWorld(count: 1, entities: Self.note) { world in
            let store = world.devices[0].store
            let bad = body(key: "b", title: #""\ud800""#)
            for _ in 0..<2 {
                try take(
                    page(bodies: ["a": body(key: "a"), "b": bad, "c": body(key: "c")], revision: "1"),
                    store: store
                )
                #expect(try keys(store: store) == ["a", "c"])
                let rejection = try #require(try store.read { try $0.rejections() }.first)
                #expect(rejection.key.text == "b")
                let raw = try #require(rejection.raw)
                #expect(String(decoding: raw, as: UTF8.self).contains(#""title":"\ud800""#))
                #expect(
                    rejection.changes.first?.header.key.text == "b",
                    "it can be tried again"
                )
            }
        }
    }

    // MARK: Scopes

    /// A page that says of records that they left what this store may see.
    private func leaving(keys: String...) -> RemotePage {
        let changes = keys.map { key in
            Change(
                Change.Header(entity: Self.note.name, key: RecordKey(key), kind: .outOfScope, metadata: nil),
                body: [UInt8]()
            )
        }
        return RemotePage(changes: changes, cursor: "left")
    }

    @Test func aRecordThatLeftTheScopeIsEvictedUnlessItWaits() async throws {
        try await withWorld(count: 1, entities: Self.note) { world in
            let device = world.devices[0]
            try take(
                page(bodies: ["a": body(key: "a"), "b": body(key: "b")], revision: "1"),
                store: device.store
            )
            _ = try device.put(entity: Self.note, json: #"{"id":"b","title":"mine"}"#)
            try take(leaving(keys: "a", "b", "unknown"), store: device.store)
            #expect(try keys(store: device.store) == ["b"])
            let kept = try #require(try device.local(entity: Self.note, key: "b"))
            #expect(kept.state == .pending)
            #expect(kept.version.record.values[1] == .text("mine"))
            #expect(try device.local(entity: Self.note, key: "a") == nil)
        }
    }

    @Test func aSnapshotOfAScopeSaysNothingOfOtherRecords() async throws {
        try await withWorld(count: 1, entities: Self.note) { world in
            let store = world.devices[0].store
            try take(
                page(
                    bodies: [
                        "a": body(key: "a", title: #""in""#), "b": body(key: "b", title: #""in""#),
                        "c": body(key: "c"),
                    ],
                    revision: "1"
                ),
                store: store
            )
            var part = page(bodies: ["a": body(key: "a", title: #""in""#)], revision: "1")
            let scope = SnapshotScope(entity: Self.note.name, fields: ["title": .text("in")])
            part.kind = .snapshot(of: [scope], isFirst: true, isComplete: true)
            part.absence = .outOfScope
            try take(part, store: store)
            #expect(try keys(store: store) == ["a", "c"])
        }
    }
}
