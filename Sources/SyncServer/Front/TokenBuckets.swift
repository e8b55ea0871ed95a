import Foundation
import SyncCore

/// Token buckets by key, in a bounded number. A bucket starts full and refills evenly.
final class TokenBuckets: @unchecked Sendable {
    private struct Bucket {
        var tokens: Double
        var filledAt: Timestamp
        var lastUse: UInt64
    }

    private let perSecond: Double
    private let burst: Double
    private let maxCount: Int
    private let lock = NSLock()
    // Guarded by `lock`.
    private var buckets: [String: Bucket] = [:]
    private var uses: UInt64 = 0

    init(perSecond: Double, burst: Double, maxCount: Int) {
        self.perSecond = max(perSecond, 0.001)
        self.burst = max(burst, 1)
        self.maxCount = max(maxCount, 1)
    }

    /// The number of tracked buckets.
    var count: Int { lock.withLock { buckets.count } }

    /// Takes a token. Returns nil on success, otherwise the whole seconds to wait, at least 1.
    func take(_ key: String, at now: Timestamp) -> Int? {
        lock.withLock {
            uses += 1
            var bucket = buckets[key] ?? Bucket(tokens: burst, filledAt: now, lastUse: 0)
            if buckets[key] == nil { makeRoom() }
            defer { buckets[key] = bucket }
            // A clock that went backwards refills nothing.
            let passed = max(0, Double(now.microseconds) - Double(bucket.filledAt.microseconds)) / 1_000_000
            bucket.tokens = min(burst, bucket.tokens + passed * perSecond)
            bucket.filledAt = now
            bucket.lastUse = uses
            guard bucket.tokens < 1 else {
                bucket.tokens -= 1
                return nil
            }
            return Int(min(3600, max(1, ((1 - bucket.tokens) / perSecond).rounded(.up))))
        }
    }

    /// The whole seconds to wait until a token can be taken; nil if one can be taken now. Takes none.
    func wait(_ key: String, at now: Timestamp) -> Int? {
        lock.withLock {
            guard let bucket = buckets[key] else { return nil }
            let passed = max(0, Double(now.microseconds) - Double(bucket.filledAt.microseconds)) / 1_000_000
            let tokens = min(burst, bucket.tokens + passed * perSecond)
            return tokens >= 1 ? nil : Int(min(3600, max(1, ((1 - tokens) / perSecond).rounded(.up))))
        }
    }

    /// Drops the quarter of the buckets that was idle for longest when all are in use. So a new key is cheap
    /// on average.
    private func makeRoom() {
        guard buckets.count >= maxCount else { return }
        let byUse = buckets.map { (key: $0.key, lastUse: $0.value.lastUse) }.sorted {
            $0.lastUse < $1.lastUse
        }
        for entry in byUse.prefix(max(1, maxCount / 4)) { buckets[entry.key] = nil }
    }
}
