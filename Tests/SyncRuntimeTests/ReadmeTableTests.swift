import Foundation
import SyncChecks
import SyncCore
import SyncRuntime
import Testing

/// The table of the README is what `Reconcile` decides, row by row.
@Suite struct ReadmeTableTests {
    /// What a side did since both agreed.
    private enum Side: String {
        case clean, dirty, deleted, newer, unchanged
        case sameContent = "same content"
    }

    private static let rows: [(local: Side, remote: Side)] = [
        (.clean, .newer), (.clean, .deleted), (.dirty, .unchanged), (.dirty, .sameContent), (.dirty, .newer),
        (.dirty, .deleted), (.deleted, .newer), (.deleted, .deleted),
    ]
    private static let strategies = [MergeStrategy.preserveLocal, .lastWriteWins, .setUnion]

    @Test func theTableOfTheReadmeIsWhatReconcileDecides() throws {
        var lines = [
            "| local | remote | " + Self.strategies.map { "`\($0.rawValue)`" }.joined(separator: " | ")
                + " |",
            "|---|---|---|---|---|",
        ]
        for row in Self.rows {
            let cells = try Self.strategies.map { try decision(row.local, row.remote, strategy: $0) }
            lines.append(
                "| \(row.local.rawValue) | \(row.remote.rawValue) | \(cells.joined(separator: " | ")) |"
            )
        }
        let table = lines.joined(separator: "\n")
        let readme = try String(
            contentsOf: URL(fileURLWithPath: #filePath).deletingLastPathComponent()
                .deletingLastPathComponent()
                .deletingLastPathComponent().appendingPathComponent("README.md"),
            encoding: .utf8
        )
        #expect(readme.contains(table), "The README should show:\n\(table)")
    }

    /// What becomes of a record, in the README's words.
    private func decision(_ local: Side, _ remote: Side, strategy: MergeStrategy) throws -> String {
        let note = Entities.note(strategy: strategy)
        let base = try #require(try edit(note, over: nil, device: 3, title: "base"))
        var state = RecordState(local: LocalRecord(version: base, state: .synced))
        let reconcile = Reconcile(note, own: OwnDevices(current: DeviceID(bits: 1)), remote: .forked)
        if let mine = try written(note, local, over: base, device: 1) {
            state = reconcile(state, on: .edited(mine)).state
        }
        let theirs = try written(note, remote, over: base, device: 2) ?? base
        return words(reconcile(state, on: .remote(theirs)), local: local, remote: remote)
    }

    private func words(_ result: Reconciliation, local: Side, remote: Side) -> String {
        let isDeleted = result.state.local?.version.isDeleted == true
        return switch (result.outcome, result.state.local?.state) {
        case (.taken, .synced?): isDeleted ? "delete" : "take remote"
        case (.known, .pending?): "push"
        case (.agreed, _): "agree"
        case (.conflict, .conflict?): "keep \(isDeleted ? "the delete" : "local"), mark a conflict"
        case (.merged, _) where !result.losses.isEmpty: "later edit wins, loser to the journal"
        case (.merged, _) where local == .deleted || remote == .deleted:
            isDeleted ? "the delete wins" : "the edit wins"
        case (.merged, _): "merge fields"
        default: "\(result.outcome) and \(String(describing: result.state.local?.state))"
        }
    }

    /// The version of a side; nil where it wrote nothing.
    private func written(
        _ note: EntityDescriptor,
        _ side: Side,
        over base: SyncRecord,
        device: UInt64
    ) throws -> SyncRecord? {
        switch side {
        case .clean, .unchanged: nil
        case .dirty, .sameContent: try edit(note, over: base, device: device, title: "written")
        case .newer: try edit(note, over: base, device: device, body: "written elsewhere")
        case .deleted: try edit(note, over: base, device: device, isDeleted: true)
        }
    }

    private func edit(
        _ note: EntityDescriptor,
        over base: SyncRecord?,
        device: UInt64,
        title: String? = nil,
        body: String? = nil,
        isDeleted: Bool = false
    ) throws -> SyncRecord? {
        let fields = ["id": "n", "title": title, "body": body].compactMapValues { $0 }
        let json = try JSONSerialization.data(withJSONObject: fields, options: .sortedKeys)
        var decoder = RecordDecoder(descriptor: note, form: .plain)
        decoder.requiresAll = false
        var record = try decoder.record(Array(json))
        if let base {
            for index in record.values.indices where record.values[index] == nil {
                record.values[index] = base.record.values[index]
            }
        }
        var edit = Editor.Edit(current: base, record: record)
        edit.isDeleted = isDeleted
        let now = Timestamp(microseconds: Int64(device) * 1_000_000)
        let editor = Editor(descriptor: note, now: now, device: DeviceID(bits: device))
        guard case .edited(let version) = editor(edit, key: RecordKey("n"), sequence: { 1 }) else {
            return nil
        }
        return version
    }
}
