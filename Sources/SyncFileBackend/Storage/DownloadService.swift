import SyncCore

/// The service that fills a folder, such as iCloud Drive, as far as a sync asks it for something. Calls block.
package struct DownloadService: Sendable {
    /// What is done with a file.
    package enum Access: Sendable { case reading, replacing, deleting }

    /// Whether the service holds the folder at the path.
    let holds: @Sendable (String) -> Bool
    /// Asks for the file at the path to be downloaded, and does not wait for it.
    let download: @Sendable (String) -> Void
    /// Calls `body` once, when nobody who asks the service as well works on the file at the path.
    let coordinate: @Sendable (_ path: String, _ access: Access, _ body: () throws -> Void) throws -> Void
}

/// Waits for files of a folder that its service has not downloaded yet: for each of them, and in each session, at most a
/// given time.
package final class FolderDownloads: Sendable {
    private let root: String
    private let service: DownloadService
    private let sleeper: any SyncSleeper
    private let maxSeconds: Double
    private let state = Guarded(State())

    private struct State {
        /// Whether the service holds the folder.
        var isHeld = false
        /// The seconds for which each key was waited.
        var waited: [String: Double] = [:]
    }

    /// Seconds between two looks at a folder.
    static let pause = 0.5

    init(root: String, service: DownloadService, sleeper: any SyncSleeper, maxSeconds: Double) {
        (self.root, self.service, self.sleeper, self.maxSeconds) = (root, service, sleeper, maxSeconds)
    }

    /// Begins a session: what is missing is asked for and waited for anew.
    func begin() {
        let isHeld = service.holds(root)
        state.use { $0 = State(isHeld: isHeld) }
    }

    /// Asks for files once, and waits a little for the `needed` ones. Returns false, at once, if there is nothing to wait
    /// for any more. Throws `CancellationError`.
    func wait(for needed: [String], askingFor others: [String]) async throws -> Bool {
        let (new, isWorthIt) = state.use { state in
            let new = (needed + others).filter { state.waited[$0] == nil }
            let isWorthIt = needed.contains { state.waited[$0, default: 0] < maxSeconds }
            for key in needed + others { state.waited[key, default: 0] += Self.pause }
            return (new, isWorthIt)
        }
        for key in new { service.download("\(root)/\(key)") }
        guard isWorthIt else { return false }
        try await sleeper.sleep(seconds: Self.pause)
        return true
    }

    /// Calls `body`, coordinated with others if the service holds the folder.
    func coordinate<Value>(
        path: String,
        access: DownloadService.Access,
        body: () throws -> Value
    ) throws -> Value {
        guard state.use({ $0.isHeld }) else { return try body() }
        var value: Value?
        try service.coordinate(path, access) { value = try body() }
        guard let value else { throw StorageError(place: path, kind: .failed) }
        return value
    }
}

extension FolderScan {
    /// The keys of what is in the cloud only: what a session needs to read, and own files, which only compaction reads.
    /// What a device has taken already it needs no more, so that what a service has removed for lack of space stays away.
    func missing(for request: SessionRequest) -> (needed: [String], others: [String]) {
        let cursor = request.cursor.flatMap { FolderCursor($0) }
        var needed = devicesInCloud.map { String(FolderLayout.prefix(device: $0).dropLast()) }
        var others: [String] = []
        for listing in devices {
            let device = listing.device
            if listing.hasDevicePlaceholder, !listing.hasDeviceFile {
                needed.append(FolderLayout.deviceFile(device: device))
            }
            for file in listing.placeholders {
                let key = FolderLayout.key(device: device, file: file)
                if device == request.device {
                    others.append(key)
                } else if cursor?.taken[device]?.contains(file.range) != true {
                    needed.append(key)
                }
            }
        }
        return (needed, others)
    }
}
