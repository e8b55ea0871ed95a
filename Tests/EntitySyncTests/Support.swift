import EntitySync
import Foundation
import SyncChecks
import SyncEntities
import SyncFileBackend
import Waits

/// A folder that goes when the test ends.
final class Scratch: Sendable {
    let path: String

    init() throws {
        path = NSTemporaryDirectory() + "space-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// The remote that the spaces of a test share.
    var remote: FolderBackend { FolderBackend(root: path + "/shared") }
}

/// Waiting that a test ends when it wants to.
actor ManualSleeper: SyncSleeper {
    private(set) var sleepers: [Int: CheckedContinuation<Void, any Error>] = [:]
    private var waiters: [CheckedContinuation<Void, Never>] = []
    private var nextID = 0

    func sleep(seconds: Double) async throws {
        nextID += 1
        let id = nextID
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation {
                (continuation: CheckedContinuation<Void, any Error>) in
                if Task.isCancelled { return continuation.resume(throwing: CancellationError()) }
                sleepers[id] = continuation
                for waiter in waiters { waiter.resume() }
                waiters = []
            }
        } onCancel: {
            Task { await self.cancel(id) }
        }
    }

    /// Waits until somebody sleeps, and wakes all who do.
    func wake() async {
        if sleepers.isEmpty { await withCheckedContinuation { waiters.append($0) } }
        let woken = sleepers
        sleepers = [:]
        for continuation in woken.values { continuation.resume() }
    }

    /// Waits until nobody sleeps any more, as when the last observer is gone.
    func untilNobodySleeps() async throws {
        try await eventually(what: "nobody sleeps") { sleepers.isEmpty }
    }

    private func cancel(_ id: Int) {
        sleepers.removeValue(forKey: id)?.resume(throwing: CancellationError())
    }
}

extension SyncSpace {
    /// A space on the shipped entities.
    static func open(
        scratch: Scratch,
        name: String = "a",
        remote: (any RemoteBackend)? = nil,
        clock: ManualClock = ManualClock(),
        sleeper: any SyncSleeper = ManualSleeper()
    ) throws -> SyncSpace {
        let seed = name.utf8.reduce(7) { $0 &* 31 &+ UInt64($1) }
        return try open(
            SpaceConfiguration(
                folder: scratch.path + "/" + name,
                entities: [Bookmark.self, Project.self, ReadStatus.self],
                remote: remote,
                deviceLabel: name,
                environment: SpaceEnvironment(clock: clock, random: SeededRandom(seed), sleeper: sleeper)
            )
        )
    }

    var bookmarks: SyncCollection<Bookmark> { collection() }
    var projects: SyncCollection<Project> { collection() }
}

extension Bookmark {
    /// A verse of chapter 2 unless told otherwise.
    static func verse(verse: Int, surah: Int = 2, notes: String? = nil) -> Bookmark {
        Bookmark(
            id: UUID(uuid: (UInt8(surah), UInt8(verse), 0, 0, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, 0, 0)),
            userId: "u1",
            surahNumber: surah,
            verseNumber: verse,
            notes: notes
        )
    }
}

extension Project {
    /// A project of company `c1`.
    static func named(id: String, status: Status = .rfq, start: Date? = nil) -> Project {
        Project(id: id, companyId: "c1", title: id, status: status, startDate: start)
    }
}
