import SyncCore
import SyncServer
import SyncWire

/// Collects what an operator asks for.
struct AdminReporter: Sendable {
    let accounts: ServerAccounts
    let activity: ServerActivity
    let hub: ChangeHub
    let clock: any SyncClock
    let threads: any BlockingThreads
    let started: Timestamp
    /// Why nothing can be stored at present; nil if it can.
    let storageFailure: @Sendable () async -> StorageFailure?
    /// The bytes of each account's file.
    let sizes: @Sendable () async -> [String: Int64]

    /// The report of this moment. Throws `SyncError` if the accounts cannot be read.
    func report(isDraining: Bool) async throws -> AdminReport {
        let sizes = await sizes()
        let snapshot = activity.snapshot
        // The newest device of an account comes first.
        let last = Dictionary(snapshot.devices.map { ($0.account, $0.lastSync) }) { first, _ in first }
        let rows = try await threads.run { [accounts] in
            let counts = try accounts.tokenCounts()
            return try accounts.list().map { entry in
                AdminReport.Row(
                    entry: entry,
                    tokens: counts[entry.account.id] ?? 0,
                    bytes: sizes[entry.account.id],
                    lastSync: last[entry.account.id]
                )
            }
        }
        return AdminReport(
            time: clock.now(),
            started: started,
            isDraining: isDraining,
            storageFailure: await storageFailure(),
            openStreams: hub.openStreams,
            accounts: rows,
            activity: snapshot,
            slowMicroseconds: activity.slowMicroseconds
        )
    }
}

extension AdminReporter {
    /// Opens the operator's page to who has the token.
    func access(token: String) -> AdminAccess? {
        AdminAccess(token: token) {
            Array(AdminPage(report: try await report(isDraining: $0)).html.utf8)
        }
    }

    /// The answer to a question on the socket, as one line of JSON.
    func answer(_ question: String, handler: RequestHandler) async -> String {
        if question == "drain" { handler.drain() }
        guard let report = try? await report(isDraining: handler.isDraining) else {
            return #"{"error":"The accounts cannot be read."}"#
        }
        switch question {
        case "status", "drain": return report.statusJSON
        case "accounts": return report.accountsJSON
        default: return #"{"error":"The server knows status, accounts and drain."}"#
        }
    }
}
