import Foundation
import SyncCore

/// Remembers when each account's next tombstone expires, so that a purge opens only the files that need it.
///
/// An unknown account is checked once. The schedule is saved to a file, so that the first purge after a start
/// need not check all accounts again.
final class PurgeSchedule: @unchecked Sendable {
    private let path: String?
    private let retention: Retention
    private let lock = NSLock()
    // Guarded by `lock`.
    private var times: [String: Timestamp] = [:]

    /// The retention of tombstones.
    struct Retention: Sendable {
        /// The retention of all entities as text. Saved times count only if the text is the same.
        let text: String
        /// The shortest retention in days.
        let fewestDays: Int

        init(entities: [EntityDescriptor], otherwiseDays: Int) {
            let days = entities.map { ($0.name, $0.tombstoneDays ?? otherwiseDays) }.sorted { $0.0 < $1.0 }
            text = "*=\(otherwiseDays)" + days.map { " \($0.0)=\($0.1)" }.joined()
            fewestDays = max(0, min(otherwiseDays, days.map(\.1).min() ?? otherwiseDays))
        }
    }

    /// The content of the file; times are in microseconds.
    private struct Saved: Codable {
        var at: Int64
        var kept: String
        var times: [String: Int64]
    }

    /// Loads the file of an earlier run; nil for no file. A file that is unreadable, or was saved under other
    /// rules, is ignored.
    init(path: String?, retention: Retention, now: Timestamp) {
        self.path = path
        self.retention = retention
        guard let path, let data = FileManager.default.contents(atPath: path),
            let saved = try? JSONDecoder().decode(Saved.self, from: data),
            saved.kept == retention.text, saved.at <= now.microseconds
        else { return }
        // NB: tombstones stored after the file was saved are not in it. They are kept for the shortest
        // retention at least.
        let unknown = Timestamp(microseconds: saved.at).adding(seconds: Int64(retention.fewestDays) * 86_400)
        times = saved.times.mapValues { min(Timestamp(microseconds: $0), unknown) }
    }

    /// Whether the account may have expired tombstones.
    func isDue(account: String, at now: Timestamp) -> Bool {
        lock.withLock { times[account].map { $0 <= now } ?? true }
    }

    /// Sets when the account's next tombstone expires; nil if it has none.
    func set(_ account: String, time: Timestamp?) {
        lock.withLock { times[account] = time ?? Timestamp(microseconds: .max) }
    }

    /// Records a stored tombstone that expires at some time.
    func lower(_ account: String, to time: Timestamp) {
        lock.withLock { times[account] = times[account].map { min($0, time) } }
    }

    /// Saves the schedule for the next start. If this fails, the next start checks every account.
    func save(at now: Timestamp) {
        guard let path else { return }
        let times = lock.withLock { self.times }
        let saved = Saved(at: now.microseconds, kept: retention.text, times: times.mapValues(\.microseconds))
        guard let data = try? JSONEncoder().encode(saved) else { return }
        guard (try? data.write(to: URL(fileURLWithPath: path), options: .atomic)) != nil else { return }
        FilePermissions.restrict(path: path)
    }
}
