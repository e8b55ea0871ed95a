public import SyncCore
import SyncRuntime

/// The texts of `SyncStatusModel`. An app replaces those that it wants to word or to translate itself.
///
/// ```swift
/// var texts = SyncStatusTexts()
/// texts.offline = String(localized: "No network")
/// ```
public struct SyncStatusTexts: Sendable {
    /// All that was written is with the remote.
    public var synced = "Synced"
    /// A sync runs.
    public var syncing = "Syncing…"
    /// There is no network.
    public var offline = "Offline"
    /// So many changes wait to be synced.
    public var waiting: @Sendable (Int) -> String = { count in
        count == 1 ? "1 change waiting" : "\(count) changes waiting"
    }
    /// The last sync failed.
    public var failed: @Sendable (SyncError) -> String = { "Sync failed: \($0.message)" }

    /// English texts.
    public init() {}

    /// A message in words.
    func text(message: SyncStatusMessage) -> String {
        switch message {
        case .syncing: syncing
        case .offline: offline
        case .failed(let failure): failed(failure.error)
        case .waiting(let count): waiting(count)
        case .synced: synced
        }
    }
}

/// What a status line has to say.
enum SyncStatusMessage: Sendable, Hashable {
    case syncing
    case offline
    case failed(SyncStatus.Failure)
    case waiting(Int)
    case synced(Timestamp?)

    /// Whether it tells of what has happened, and not of what is so: such a message goes after a while. A failure that only
    /// a person can mend stays.
    var isPassing: Bool {
        switch self {
        case .synced: true
        case .failed(let failure): failure.error.retry == .later
        case .syncing, .offline, .waiting: false
        }
    }

    /// The most urgent message of a status, without the passing ones that have gone; nil when there is nothing to say.
    init?(status: SyncStatus, gone: Set<SyncStatusMessage> = []) {
        let messages = Self.all(status: status).filter { !gone.contains($0) }
        guard let first = messages.first else { return nil }
        self = first
    }

    /// The messages of a status, the most urgent first.
    private static func all(status: SyncStatus) -> [SyncStatusMessage] {
        var messages: [SyncStatusMessage] = []
        switch status.phase {
        case .syncing: messages.append(.syncing)
        case .offline: messages.append(.offline)
        case .idle, .waiting, .backingOff, .halted, .paused: break
        }
        if let failure = status.lastFailure { messages.append(.failed(failure)) }
        if status.pending > 0, status.outside.account != .guest { messages.append(.waiting(status.pending)) }
        if status.isInSync { messages.append(.synced(status.lastSuccess)) }
        return messages
    }
}
