public import SyncCore
import SyncRuntime

/// The texts of `SyncStatusModel`. An app can replace or translate them.
///
/// ```swift
/// var texts = SyncStatusTexts()
/// texts.offline = String(localized: "No network")
/// ```
public struct SyncStatusTexts: Sendable {
    /// The remote holds everything that was written.
    public var synced = "Synced"
    /// A sync runs.
    public var syncing = "Syncing…"
    /// There is no network.
    public var offline = "Offline"
    /// So many changes wait to be synced.
    public var waiting: @Sendable (Int) -> String = { count in
        count == 1 ? "1 change waiting" : "\(count) changes waiting"
    }
    /// So many records are in conflict or were rejected. The badge of `SyncUI` shows it.
    public var decisions: @Sendable (Int) -> String = { count in
        count == 1 ? "1 record needs a decision" : "\(count) records need a decision"
    }
    /// The remote does not accept the account until somebody signs in.
    public var paused = "Sign in again to sync"
    /// Nothing waits here, but not everything is synced.
    public var partial = "Not everything is synced"
    /// The last sync failed.
    public var failed: @Sendable (SyncError) -> String = { "Sync failed: \($0.message)" }

    /// English texts.
    public init() {}

    /// A message in words.
    func text(message: SyncStatusMessage) -> String {
        switch message {
        case .syncing: syncing
        case .offline: offline
        case .paused: paused
        case .failed(let failure): failed(failure.error)
        case .waiting(let count): waiting(count)
        case .synced: synced
        }
    }
}

/// A message for a status line.
enum SyncStatusMessage: Sendable, Hashable {
    case syncing
    case offline
    case paused
    case failed(SyncStatus.Failure)
    case waiting(Int)
    case synced(Timestamp?)

    /// Whether the message is about a past event rather than a present state; it then disappears after a while. A
    /// failure that needs a person stays.
    var isPassing: Bool {
        switch self {
        case .synced: true
        case .failed(let failure): failure.error.retry == .later
        case .syncing, .offline, .paused, .waiting: false
        }
    }

    /// The most urgent message of a status, except removed ones; nil if there is none.
    init?(status: SyncStatus, gone: Set<SyncStatusMessage> = []) {
        let messages = Self.all(status: status).filter { !gone.contains($0) }
        guard let first = messages.first else { return nil }
        self = first
    }

    /// The messages of a status, most urgent first.
    private static func all(status: SyncStatus) -> [SyncStatusMessage] {
        var messages: [SyncStatusMessage] = []
        switch status.phase {
        case .syncing: messages.append(.syncing)
        case .offline: messages.append(.offline)
        case .paused: messages.append(.paused)
        case .idle, .waiting, .backingOff, .halted, .gaveUp: break
        }
        if let failure = status.lastFailure { messages.append(.failed(failure)) }
        if status.pending > 0, status.outside.account != .guest { messages.append(.waiting(status.pending)) }
        if status.isInSync { messages.append(.synced(status.lastSuccess)) }
        return messages
    }
}
