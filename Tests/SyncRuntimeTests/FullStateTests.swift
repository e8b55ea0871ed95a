import SyncChecks
import SyncCore
import Testing

@testable import SyncRuntime

/// What a remote's full state says, and what it does not say.
@Suite struct FullStateTests {
    static let note = ScratchEntities.all[0]
    private let device = DeviceID(bits: 0x0123_4567_89ab_cdef)

    /// A complete page of notes: each title with its key, or bytes that are no note.
    private func page(_ bodies: [String: String], revision: String) -> RemotePage {
        var page = RemotePage(
            kind: .snapshot(entities: [Self.note.name], isFirst: true, isComplete: true),
            bytes: [],
            items: [],
            cursor: "c" + revision
        )
        for (sequence, (key, body)) in bodies.sorted(by: { $0.key < $1.key }).enumerated() {
            let start = page.bytes.count
            page.bytes += Array(body.utf8)
            let mark = EditMark(
                time: Timestamp(microseconds: 1_000),
                device: device,
                sequence: Int64(sequence + 1) + (revision == "1" ? 0 : 100)
            )
            page.items.append(
                RemoteItem(
                    entity: Self.note.name,
                    key: RecordKey(key),
                    kind: .upsert,
                    mergedInto: nil,
                    stamp: Stamp(first: mark),
                    revision: Revision(revision),
                    body: start..<page.bytes.count
                )
            )
        }
        return page
    }

    /// A note as it goes over the wire; a title that is none makes it unreadable.
    private func body(_ key: String, title: String = #""t""#) -> String {
        let time = "2025-12-25T09:21:01Z"
        return #"{"id":"\#(key)","title":\#(title),"createdAt":"\#(time)","updatedAt":"\#(time)"}"#
    }

    private func take(_ page: RemotePage, _ store: any LocalStore) throws {
        var puller = Puller(entities: [Self.note], device: device, now: Timestamp(microseconds: 2_000))
        try store.write(.pulled) { try puller.take([page], $0) }
    }

    private func keys(_ store: any LocalStore) throws -> [String] {
        var keys: [String] = []
        try store.read { try $0.scan(Self.note, includeHidden: true) { keys.append($0.version.key.text) } }
        return keys
    }

    @Test func onlyWhatItDoesNotHoldIsGone() async throws {
        try await withWorld(1, Self.note) { world in
            let store = world.devices[0].store
            try take(page(["a": body("a"), "b": body("b"), "c": body("c")], revision: "1"), store)
            #expect(try keys(store) == ["a", "b", "c"])
            try take(page(["a": body("a"), "c": body("c")], revision: "1"), store)
            #expect(try keys(store) == ["a", "c"])
        }
    }

    @Test func aRecordThatCannotBeReadIsNotTakenForAbsent() async throws {
        try await withWorld(1, Self.note) { world in
            let store = world.devices[0].store
            try take(page(["a": body("a")], revision: "1"), store)
            try take(page(["a": body("a", title: "7")], revision: "2"), store)
            #expect(try keys(store) == ["a"])
            #expect(try store.read { try $0.rejections() }.count == 1)
        }
    }
}
