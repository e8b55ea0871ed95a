package import SyncCore
package import SyncRuntime

/// What a page shows of a store, as values. The same report gives the same page.
package struct StoreReport: Sendable {
    /// What the store itself does not know.
    package var context: ReportContext
    /// The counts of the store.
    package var status: SyncStatus
    /// The entities with their counts, in the store's order.
    package var entities: [ReportedEntity]
    /// What waits to be pushed.
    package var waiting: ShownPart<WaitingChange>
    /// The records in conflict.
    package var conflicts: ShownPart<ReportedConflict>
    /// The rejected records, oldest first.
    package var rejected: ShownPart<ReportedRejection>
    /// The journal, newest first.
    package var journal: ShownPart<ReportedLoss>
    /// How many entries of the journal cannot be read.
    package var damagedLosses: Int
    /// Records with their history.
    package var histories: ShownPart<RecordHistory>
    /// The last syncs, oldest first.
    package var syncs: [PastSync]
    /// What people call the records of the lists, as far as they have a title.
    package var titles: [RecordName: String]
}

/// What a report says beside what is in the store.
package struct ReportContext: Sendable {
    /// The store's path, as it was given.
    package var store: String
    /// When the report was made.
    package var at: Timestamp
    /// The version of the program that made it.
    package var program: String
    /// The store's incarnation.
    package var device: String
    /// The account, in words; nil if no accounts are used.
    package var account: String?
    /// The remote of the last sync; nil if there was none.
    package var remote: String?
    /// What is to be said about the store, the most urgent first.
    package var advice: [ReportedAdvice]
    /// What is said where there is no advice.
    package var reassurance: Instruction?
    /// What the store takes on the disk; nil if that is not known.
    package var storage: ReportedStorage?
    /// The commands for this store.
    package var commands: StoreCommands
    /// How much is shown.
    package var limits: ReportLimits
    /// The record whose history is shown first.
    package var asked: RecordName?

    /// Makes a context.
    package init(
        store: String,
        at: Timestamp,
        program: String,
        device: String,
        account: String? = nil,
        commands: StoreCommands,
        limits: ReportLimits = ReportLimits()
    ) {
        self.store = store
        self.at = at
        self.program = program
        self.device = device
        self.account = account
        self.commands = commands
        self.limits = limits
        advice = []
    }
}

/// One observation, and what to do about it.
package struct ReportedAdvice: Sendable {
    /// A stable id, for example `rejected`.
    package var rule: String
    /// The observation.
    package var message: String
    /// The next step.
    package var next: Instruction
    /// Whether a person must act.
    package var isFinding: Bool

    /// Makes an observation.
    package init(rule: String, message: String, next: Instruction, isFinding: Bool) {
        self.rule = rule
        self.message = message
        self.next = next
        self.isFinding = isFinding
    }
}

/// One entity of the store.
package struct ReportedEntity: Sendable {
    /// Its name.
    package var name: String
    /// Its strategy, as schemas name it.
    package var strategy: String
    /// Its counts.
    package var counts: EntityCounts
    /// Its live records whose parent is not here.
    package var orphans: Int
}

/// The bytes that a store takes on the disk.
package struct ReportedStorage: Sendable {
    /// All files of the store.
    package var fileBytes: Int64
    /// Tables and indexes by entity; empty if the system's SQLite cannot tell.
    package var entityBytes: [String: Int64]
    /// What the store keeps beside them: versions, journal, history.
    package var ownBytes: Int64
    /// Pages that are free for later records.
    package var freeBytes: Int64

    /// Makes sizes.
    package init(fileBytes: Int64, entityBytes: [String: Int64], ownBytes: Int64, freeBytes: Int64) {
        self.fileBytes = fileBytes
        self.entityBytes = entityBytes
        self.ownBytes = ownBytes
        self.freeBytes = freeBytes
    }
}
