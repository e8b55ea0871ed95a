import EntitySync
import Foundation
import SyncInspector
import SyncStore
import SyncVersion

/// Makes reports of a store for `inspect`.
struct Inspection: Sendable {
    let workspace: Workspace
    let store: SQLiteStore
    private let commands: StoreCommands
    private let limits: ReportLimits

    /// Opens an existing store.
    init(workspace: Workspace, commands: StoreCommands, limits: ReportLimits) throws {
        self.workspace = workspace
        self.commands = commands
        self.limits = limits
        store = try workspace.open()
    }

    /// The report of the present state. Reads only.
    ///
    /// - Throws: `SyncError`: `notFound` if the store has never seen the record that was asked for.
    func report(asked: RecordName? = nil) throws -> StoreReport {
        let (entities, now) = (workspace.entities, workspace.clock.now())
        let account = StoreAccount(storePath: workspace.storePath, entities: entities)
        let storage = try store.storageUse()
        return try store.read { snapshot in
            let status = try StoreStatus(snapshot: snapshot, entities: entities, account: account, now: now)
            let advice = Advice.all(status: status, commands: commands)
            var context = ReportContext(
                store: workspace.storePath,
                at: now,
                program: EntitySyncVersion.current,
                device: status.device,
                account: account == .none ? nil : status.account.text,
                commands: commands,
                limits: limits
            )
            context.remote = try snapshot.value(name: StoreValueName.remote)
            context.advice = advice.map {
                ReportedAdvice(rule: $0.rule, message: $0.message, next: $0.next, isFinding: $0.isFinding)
            }
            context.reassurance = Advice.nothing(status: status, advice: advice, commands: commands)
            context.storage = reported(storage)
            context.asked = asked
            return try StoreReport(
                snapshot: snapshot,
                entities: entities,
                status: status.sync,
                context: context
            )
        }
    }

    /// The sizes with those of the files next to the database.
    private func reported(_ use: StorageUse) -> ReportedStorage {
        let log = try? FileManager.default.attributesOfItem(atPath: workspace.storePath + "-wal")
        return ReportedStorage(
            fileBytes: use.fileBytes + ((log?[.size] as? NSNumber)?.int64Value ?? 0),
            entityBytes: use.entityBytes ?? [:],
            ownBytes: use.ownBytes,
            freeBytes: use.freeBytes
        )
    }
}
