import Foundation
import SyncCore
import SyncFiles
import SyncSQLite
import SyncWire

/// The files of all accounts. The most recently used ones are open.
///
/// Each account has its own file and its own lock, so accounts do not wait for each other.
final class LogFolder: @unchecked Sendable {
    /// The folder, as a path.
    let path: String
    private let clock: any SyncClock
    private let random: any RandomSource
    private let maxOpen: Int
    private let medium: (any DatabaseMedium)?
    // All guarded by `lock`.
    private var entries: [String: Entry] = [:]
    private var uses: UInt64 = 0
    private var known: Set<String> = []
    private var caches: CacheBudget
    private let lock = NSLock()

    private struct Entry {
        let file: AccountLogs
        let cacheKiB: Int
        var users = 0
        var lastUse: UInt64 = 0
    }

    /// Makes the folder if it is missing. Throws `WireError` if that fails.
    init(
        data: String,
        clock: any SyncClock,
        random: any RandomSource,
        maxOpen: Int,
        cacheMegabytes: Int,
        medium: (any DatabaseMedium)?
    ) throws {
        path = data + "/logs"
        caches = CacheBudget(totalKiB: cacheMegabytes * 1024, files: maxOpen)
        self.clock = clock
        self.random = random
        self.maxOpen = max(1, maxOpen)
        self.medium = medium
        do {
            if let medium {
                try medium.makeFolders(path)
                return
            }
            try FileManager.default.createDirectory(
                atPath: path,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
        } catch {
            throw WireError.folderNotMade()
        }
        FilePermissions.restrict(path: path)
        for name in (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? [] {
            FilePermissions.restrict(path: "\(path)/\(name)")
        }
        // The entry of the folder itself must be durable too, or a new server's first commits are lost with it.
        for folder in [data, data + "/.."] { _ = DescriptorIO.flush(path: folder) }
    }

    /// Runs `body` with exclusive access to the account's file. Throws errors of `body` and of opening the
    /// file.
    func use<Result>(_ account: String, body: (AccountLogs.Access) throws -> Result) throws -> Result {
        guard Self.isFileName(account) else { throw WireError.badAccount() }
        let file = take(account)
        defer { giveBack(account) }
        return try file.use(body: body)
    }

    /// The accounts that have a file, sorted.
    func accounts() throws -> [String] {
        try (medium?.names(in: path) ?? FileManager.default.contentsOfDirectory(atPath: path))
            .filter { $0.hasSuffix(".sqlite") }
            .map { String($0.dropLast(".sqlite".count)) }
            .filter(Self.isFileName)
            .sorted()
    }

    /// Whether the account has a file.
    func holds(_ account: String) -> Bool {
        Self.isFileName(account) && LogFile.exists(path: path(of: account), medium: medium)
    }

    private func path(of account: String) -> String { "\(path)/\(account).sqlite" }

    private func take(_ account: String) -> AccountLogs {
        lock.withLock {
            uses += 1
            var entry = entries[account] ?? makeEntry(account)
            entry.users += 1
            entry.lastUse = uses
            entries[account] = entry
            return entry.file
        }
    }

    /// Makes the entry of an account's file, which is opened at first use. The caller holds the lock.
    private func makeEntry(_ account: String) -> Entry {
        let cacheKiB = caches.take()
        let path = path(of: account)
        let file = AccountLogs(path: medium == nil ? path : nil) { [weak self, clock, random, medium] in
            let connection = try LogFile(
                path: path,
                account: account,
                now: clock.now(),
                random: random,
                cacheKiB: cacheKiB,
                isKnown: self?.isKnown(account) ?? false,
                medium: medium
            )
            .open()
            self?.know(account: account)
            return connection
        }
        return Entry(file: file, cacheKiB: cacheKiB)
    }

    /// Whether the account's file was opened before and belonged to the account.
    private func isKnown(_ account: String) -> Bool { lock.withLock { known.contains(account) } }

    private func know(account: String) { lock.withLock { _ = known.insert(account) } }

    private func giveBack(_ account: String) {
        let closing: [AccountLogs] = lock.withLock {
            entries[account]?.users -= 1
            var closing: [AccountLogs] = []
            while entries.count > maxOpen {
                // If all files are in use, the limit is exceeded for a while.
                let idle = entries.filter { $0.value.users == 0 }
                guard let oldest = idle.min(by: { $0.value.lastUse < $1.value.lastUse }) else { break }
                entries[oldest.key] = nil
                caches.giveBack(oldest.value.cacheKiB)
                closing.append(oldest.value.file)
            }
            return closing
        }
        for file in closing { file.close() }
    }

    /// Account ids come from the request handler. An id that could lead out of the folder is an internal error.
    static func isFileName(_ text: String) -> Bool {
        (1...128).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte)
                    || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
            }
    }
}
