import SyncCore
import SyncFileBackend
import SyncRuntime

/// Transfers between devices in an outside world, and their faults.
extension OutsideWorld {
    /// Syncs a device. If it finds another remote, it joins that as a person would after the message.
    @discardableResult
    func sync(_ device: OutsideDevice) async -> Result<SyncReport, SyncError> {
        do {
            return .success(logged(report: try await device.sync(), device: device))
        } catch let error as SyncError where error.kind == .wrongRemote {
            log(device: device, text: "cannot sync (\(error.message)), and joins anew")
            // A person who joins a remote merges by strategy, so earlier deletes no longer apply.
            oracle.deletes = []
            do {
                return .success(logged(report: try await device.sync(rejoins: true), device: device))
            } catch let error
                as SyncError
            {
                log(device: device, text: "cannot join: \(error.message)")
                return .failure(error)
            } catch { return unexpected(error: error, device: device) }
        } catch let error as SyncError {
            log(device: device, text: "cannot sync: \(error.message)")
            return .failure(error)
        } catch { return unexpected(error: error, device: device) }
    }

    private func unexpected(error: any Error, device: OutsideDevice) -> Result<SyncReport, SyncError> {
        log(device: device, text: "cannot sync: \(error)")
        return .failure(.damagedStore(detail: "\(error)"))
    }

    private func logged(report: SyncReport, device: OutsideDevice) -> SyncReport {
        func sum(count: KeyPath<EntityReport, Int>) -> Int {
            report.entities.reduce(0) { $0 + $1[keyPath: count] }
        }
        let counts = [
            ("sent", sum(count: \.pushed)), ("received", sum(count: \.pulled)),
            ("merged", sum(count: \.merged)),
            ("in conflict", sum(count: \.conflicts)), ("rejected", sum(count: \.rejected)),
        ].filter { $0.1 > 0 }.map { "\($0.1) \($0.0)" }
        let skipped =
            report.diagnostics.isEmpty
            ? "" : "; skipped \(report.diagnostics.map(\.rule).joined(separator: ", "))"
        // Files of a folder may be missing or old, so devices may differ. A server always has everything.
        if story.place == .server,
            let found = report.diagnostics.first(where: { $0.rule == "records-differ" })
        {
            self.report(.noDifference, text: "\(device.name) reports: \(found.message)")
        }
        log(
            device: device,
            text: "syncs: " + (counts.isEmpty ? "nothing new" : counts.joined(separator: ", ")) + skipped
        )
        return report
    }

    /// Transfers all files of a device, syncs it, and transfers the files that it wrote.
    @discardableResult
    func meet(_ device: OutsideDevice) async -> Result<SyncReport, SyncError> {
        exchange(device: device) { _ in true }
        pass(seconds: 1)
        let result = await sync(device)
        exchange(device: device) { _ in true }
        return result
    }

    func failTransfer(kind: OutsideStep.Kind, device: OutsideDevice, draw: inout Seed) async throws {
        switch kind {
        case .loseAnswer:
            let number = Int.random(in: 1...3, using: &draw)
            let fault: LoopbackFault = Bool.random(using: &draw) ? .dropResponse : .dropRequest
            log(device: device, text: "loses the connection in message \(number)")
            setFaults { count, _ in count >= number ? fault : nil }
            await sync(device)
            setFaults(nil)
        case .crash:
            device.disk.crash(at: Int.random(in: 1...60, using: &draw))
            await sync(device)
            let isOff = device.disk.isCrashed
            try device.restart(keeping: Bool.random(using: &draw) ? .syncedOnly : .everything)
            log(
                device: device,
                text: isOff ? "went off in the middle, and is started again" : "is ended and started again"
            )
        case .travel:
            guard story.place == .cloud else { return }
            let part = Int.random(in: 1...3, using: &draw)
            var own = draw
            let moved = exchange(device: device) { _ in part == 3 || Int.random(in: 0..<3, using: &own) < part
            }
            log(device: device, text: "exchanges \(moved) files with the cloud")
        case .travelAll:
            log(
                device: device,
                text: "exchanges all files with the cloud: \(exchange(device: device) { _ in true })"
            )
        case .oldFile: bringOldFile(device, draw: &draw)
        default: break
        }
    }

    // MARK: The cloud drive

    /// The files in a device's copy of the folder, by path.
    func files(of device: OutsideDevice) -> [String: [UInt8]] {
        var files: [String: [UInt8]] = [:]
        for (path, bytes) in device.disk.snapshot(of: Self.folder).files where !path.contains("/.") {
            files[String(path.dropFirst(Self.folder.count + 1))] = bytes
        }
        return files
    }

    /// Transfers changed files between a device's copy and the cloud. Returns their number.
    @discardableResult
    func exchange(device: OutsideDevice, takes: (String) -> Bool) -> Int {
        guard story.place == .cloud else { return 0 }
        let local = files(of: device)
        var moved = 0
        for path in Set(local.keys).union(cloud.keys).union(device.travelled.keys).sorted() {
            let (mine, theirs, known) = (local[path], cloud[path], device.travelled[path])
            guard mine != theirs else {
                device.travelled[path] = mine
                continue
            }
            guard takes(path) else { continue }
            moved += 1
            if theirs == known {
                if let old = cloud[path] { former[path, default: []].append(old) }
                cloud[path] = mine
            } else {
                // If both copies changed, the cloud's file replaces the device's.
                place(theirs, at: path, on: device)
            }
            device.travelled[path] = cloud[path]
        }
        return moved
    }

    private func place(_ bytes: [UInt8]?, at path: String, on device: OutsideDevice) {
        let whole = Self.folder + "/" + path
        // The disks of these worlds do not fail.
        guard let bytes else { return (try? device.disk.remove(whole)) ?? () }
        var folder = ""
        for part in whole.split(separator: "/").dropLast() {
            folder += "/\(part)"
            try? device.disk.makeFolder(folder)
        }
        try? device.disk.writeAtomically(bytes, to: whole, replaces: true)
    }

    /// Replaces a file by an older version until it is transferred again.
    private func bringOldFile(_ device: OutsideDevice, draw: inout Seed) {
        guard story.place == .cloud else { return }
        let local = files(of: device)
        let paths = former.keys.filter { local[$0] == device.travelled[$0] }.sorted()
        guard let path = paths.randomElement(using: &draw),
            let old = former[path]?.randomElement(using: &draw)
        else { return }
        place(old, at: path, on: device)
        device.travelled[path] = old
        log(device: device, text: "gets a former content of \(path)")
    }

    // MARK: Devices and folders

    /// Changes to devices and folders, as opposed to messages.
    func misfortune(kind: OutsideStep.Kind, device: OutsideDevice, draw: inout Seed) async throws {
        switch kind {
        case .backUp:
            device.backUp()
            log(device: device, text: "is backed up")
        case .putBack:
            guard let backUp = device.backUps.randomElement(using: &draw) else { return }
            let withFolder = story.place == .cloud && Bool.random(using: &draw)
            try await losing(device: device) { try device.putBack(backUp, withFolder: withFolder) }
            // Restoring a machine takes time, so it does not write at the same time as before.
            pass(seconds: 1)
            oracle.deletes = []
            log(
                device: device,
                text: "is put back from its backup\(withFolder ? ", its copy of the folder, too" : "")"
            )
        case .reinstall:
            let keepsFolder = Bool.random(using: &draw)
            let newer = devices.contains(where: \.isUpdated) ? versions.new : nil
            try await losing(device: device) {
                try device.reinstall(keepsFolder: keepsFolder, newer: newer)
            }
            oracle.deletes.removeAll { $0.device == device.index && !$0.isPublished }
            log(device: device, text: "signs out with discard, and starts with a fresh store")
        case .leave:
            guard present.count > 1 else { return }
            try await losing(device: device) { device.isGone = true }
            oracle.deletes.removeAll { $0.device == device.index && !$0.isPublished }
            log(device: device, text: "is never seen again")
        case .emptyFolder, .loseFiles: try await loseFiles(kind, device: device, draw: &draw)
        case .retire: await retire(device)
        case .purge:
            let days = [0, 1, 30].randomElement(using: &draw) ?? 0
            try await server?.purgeTombstones(olderThanDays: days)
            log(device: nil, text: "the server forgets tombstones older than \(days) days")
        default: break
        }
    }

    private func loseFiles(_ kind: OutsideStep.Kind, device: OutsideDevice, draw: inout Seed) async throws {
        let other = devices.randomElement(using: &draw) ?? device
        let id = kind == .emptyFolder ? nil : other.id?.description
        if kind == .loseFiles, id == nil { return }
        try await losing(device: nil) {
            cloud = cloud.filter { path, _ in id.map { !path.contains($0) } ?? false }
            for device in devices {
                let disk = story.place == .folder ? shared : device.disk
                for path in disk.snapshot(of: Self.folder).files.keys
                where id.map({ path.contains($0) }) ?? true {
                    try? disk.remove(path)
                }
                device.travelled = device.travelled.filter { path, _ in id.map { !path.contains($0) } ?? false
                }
            }
        }
        oracle.deletes = []
        log(
            device: nil,
            text: id == nil
                ? "somebody empties the folder"
                : "somebody removes the files of \(other.name) from the folder"
        )
    }

    private func retire(_ device: OutsideDevice) async {
        let other = devices[(device.index + 1) % devices.count]
        guard other !== device, let id = other.id, let own = device.id
        else { return }
        do {
            try await folderBackend(device: device).retire(id, by: own)
            log(device: device, text: "retires \(other.name)")
        } catch {
            log(
                device: device,
                text: "cannot retire \(other.name): \((error as? SyncError)?.message ?? "\(error)")"
            )
        }
    }

    /// Runs `body`, which destroys a medium. Words that only this medium held are marked as destroyed.
    ///
    /// NB: the device's journal is destroyed with it. Versions that it had decided against may be shown
    /// elsewhere until the decision arrives there.
    private func losing(device: OutsideDevice?, body: () throws -> Void) async throws {
        let before = try await foundEverywhere()
        var journal: Set<String> = []
        for entry in try device?.journal() ?? [] { journal.formUnion(oracle.words(in: entry.lost.record)) }
        // What it shows but has not sent goes with it, such as an entry of the journal that was brought back.
        for row in try device?.shown().values.filter({ $0.state == .synced }) ?? [] {
            journal.subtract(words(record: row.record))
        }
        try body()
        if let device { oracle.takeBackRepeats(by: device.name) }
        if let device, !device.isGone {
            for entry in try device.journal() { journal.subtract(oracle.words(in: entry.lost.record)) }
        }
        var gone = before.subtracting(try await foundEverywhere()).union(journal)
        let known = Set(entities.map(\.name))
        if let device { gone.formUnion(oracle.unseenWords(by: device.name, entities: known)) }
        oracle.destroy(gone)
        oracle.forgetFlags()
        for device in devices { device.shownConflicts = [:] }
        if !gone.isEmpty {
            log(
                device: nil,
                text: "with it goes what nothing else holds: \(gone.sorted().joined(separator: ", "))"
            )
        }
    }

    /// All words that can be found anywhere, including on a new device.
    func foundEverywhere() async throws -> Set<String> {
        var found: Set<String> = []
        for device in present { found.formUnion(try device.found(oracle: oracle)) }
        if let newcomer = await newcomer() {
            found.formUnion(try newcomer.found(oracle: oracle))
            newcomer.close()
        }
        return found
    }

    /// A new device that has synced once with everything on the remote, without leaving a trace there; nil if
    /// that fails.
    func newcomer() async -> OutsideDevice? {
        let device = OutsideDevice(
            name: "N",
            index: 25,
            entities: entities,
            seed: story.seed ^ 0x4e,
            clock: ManualClock(now)
        ) {
            [self] device in
            switch story.place {
            case .server:
                return try serverBackend(device: device)
            case .folder:
                device.disk.restore(shared.snapshot(of: Self.folder))
            case .cloud:
                for (path, bytes) in cloud.sorted(by: { $0.key < $1.key }) {
                    place(bytes, at: path, on: device)
                }
                // Files that other devices have not uploaded yet are transferred first.
                for other in present {
                    for (path, bytes) in files(of: other).sorted(by: { $0.key < $1.key })
                    where other.travelled[path] != bytes && cloud[path] == other.travelled[path] {
                        place(bytes, at: path, on: device)
                    }
                }
            }
            return folderBackend(on: device.disk)
        }
        do {
            try device.open()
            _ = try await device.sync()
            return device
        } catch {
            device.close()
            return nil
        }
    }
}
