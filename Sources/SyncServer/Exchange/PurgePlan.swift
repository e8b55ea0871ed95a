import Foundation
import SyncCore

/// From when on an account may have tombstones that were kept long enough, so that the purge opens no other account's file.
///
/// An account that is not known here may have some: each is looked at once. What was found is kept in a file, so that the
/// first purge after a start need not look at all of them again.
final class PurgePlan: @unchecked Sendable {
    private let path: String?
    private let kept: Kept
    private let lock = NSLock()
    // Guarded by `lock`.
    private var times: [String: Timestamp] = [:]

    /// How long tombstones are kept.
    struct Kept: Sendable {
        /// Names the days of all entities; another text means that times found before do not count.
        let text: String
        /// The shortest time in days.
        let fewestDays: Int

        init(entities: [EntityDescriptor], otherwiseDays: Int) {
            let days = entities.map { ($0.name, $0.tombstoneDays ?? otherwiseDays) }.sorted { $0.0 < $1.0 }
            text = "*=\(otherwiseDays)" + days.map { " \($0.0)=\($0.1)" }.joined()
            fewestDays = max(0, min(otherwiseDays, days.map(\.1).min() ?? otherwiseDays))
        }
    }

    /// What the file holds, times in microseconds.
    private struct Saved: Codable {
        var at: Int64
        var kept: String
        var times: [String: Int64]
    }

    /// Reads what an earlier run found; nil for no file. What cannot be read, or was found under other rules, does not count.
    init(path: String?, kept: Kept, now: Timestamp) {
        self.path = path
        self.kept = kept
        guard let path, let data = FileManager.default.contents(atPath: path),
            let saved = try? JSONDecoder().decode(Saved.self, from: data),
            saved.kept == kept.text, saved.at <= now.microseconds
        else { return }
        // NB: a tombstone that was stored after the file was written is not in it, and is kept for the fewest days at
        // least.
        let unknown = Timestamp(microseconds: saved.at).adding(seconds: Int64(kept.fewestDays) * 86_400)
        times = saved.times.mapValues { min(Timestamp(microseconds: $0), unknown) }
    }

    /// Whether an account may have something to purge.
    func isDue(account: String, at now: Timestamp) -> Bool {
        lock.withLock { times[account].map { $0 <= now } ?? true }
    }

    /// Notes that the account has nothing to purge before some time; nil for no tombstones at all.
    func set(_ account: String, time: Timestamp?) {
        lock.withLock { times[account] = time ?? Timestamp(microseconds: .max) }
    }

    /// Notes that a tombstone was stored that may go at some time.
    func lower(_ account: String, to time: Timestamp) {
        lock.withLock { times[account] = times[account].map { min($0, time) } }
    }

    /// Keeps what is known for the next start. Without it the next start looks at each account, and nothing else is missing.
    func save(at now: Timestamp) {
        guard let path else { return }
        let times = lock.withLock { self.times }
        let saved = Saved(at: now.microseconds, kept: kept.text, times: times.mapValues(\.microseconds))
        guard let data = try? JSONEncoder().encode(saved) else { return }
        guard (try? data.write(to: URL(fileURLWithPath: path), options: .atomic)) != nil else { return }
        OwnerOnly.restrict(path: path)
    }
}
