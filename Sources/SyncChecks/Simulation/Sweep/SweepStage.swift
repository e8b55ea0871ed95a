import Foundation
import SyncCore
import SyncRuntime
import SyncServer

/// The world of one run of a sweep: a device that acts, another one, and the place where they meet.
package final class SweepStage {
    /// The device that acts, and the other.
    package let devices: [SweepDevice]
    /// The server, where there is one.
    package let server: LoopbackServer?
    let serverDisk: SimulatedDisk
    private let scene: SweepScene

    /// The state of a stage on which nothing runs.
    struct Prepared {
        var disks: [DiskSnapshot] = []
        var times: [Timestamp] = []
        var server = DiskSnapshot(path: "/", content: nil)
        var serverTime = ManualClock().now()
    }

    /// A stage as it was prepared, or an empty one, on disks with the flaws given.
    init(scene: SweepScene, prepared: Prepared? = nil, flaws: Set<DiskFlaw> = []) {
        self.scene = scene
        let serverDisk = SimulatedDisk(seed: 77, flaws: flaws)
        let server =
            scene.place == .server
            ? LoopbackServer(
                path: "/server",
                entities: scene.entities,
                limits: scene.limits,
                disk: serverDisk
            )
            : nil
        server?.add(Account(id: "account-1", name: "everyone"), token: World.token)
        if let prepared {
            serverDisk.restore(prepared.server)
            server?.clock.set(prepared.serverTime)
        }
        self.serverDisk = serverDisk
        self.server = server
        devices = ["A", "B", "C"].enumerated().map { index, name in
            let disk = SimulatedDisk(seed: UInt64(index), flaws: flaws)
            if let prepared { disk.restore(prepared.disks[index]) }
            let time = prepared?.times[index] ?? ManualClock().now()
            return SweepDevice(name: name, scene: scene, disk: disk, server: server, time: time)
        }
    }

    /// Device A, which acts.
    package var first: SweepDevice { devices[0] }
    /// Device B.
    package var second: SweepDevice { devices[1] }
    /// Device C, which joins when all is over.
    var newcomer: SweepDevice { devices[2] }

    /// Ends everything that runs, and keeps what stands on the disks.
    func pack() -> Prepared {
        for device in devices { device.close() }
        server?.restart()
        return Prepared(
            disks: devices.map { $0.disk.snapshot() },
            times: devices.map { $0.clock.now() },
            server: serverDisk.snapshot(),
            serverTime: server?.clock.now() ?? ManualClock().now()
        )
    }

    var struckDisk: SimulatedDisk { scene.struck == .server ? serverDisk : first.disk }

    /// A second passes for all.
    package func pass() {
        for device in devices { device.clock.advance(seconds: 1) }
        server?.clock.advance(seconds: 1)
    }

    /// Brings what each running device wrote in its copy of the folder to the others.
    package func deliver() {
        guard server == nil else { return }
        for from in devices {
            guard let own = from.ownFolder else { continue }
            let files = from.disk.snapshot(of: own)
            guard files.content != nil else { continue }
            for to in devices where to !== from { to.disk.restore(files) }
        }
    }

    /// Lets devices sync in turn until nothing moves. Throws what a sync throws, or a `WorldProblem` when they never come
    /// to rest.
    package func settle() async throws { try await settle([first, second]) }

    func settle(_ devices: [SweepDevice]) async throws {
        for device in devices { try device.open() }
        for _ in 0..<8 {
            var moved = 0
            for device in devices {
                deliver()
                let report = try await device.sync()
                moved += report.entities.reduce(0) { $0 + $1.pushed + $1.pulled + $1.merged }
            }
            deliver()
            if moved == 0 { return }
        }
        throw WorldError(description: "the devices never come to rest")
    }

    /// Lets the two devices come to rest, a third one join, and all of them do nothing more. Returns what all then show.
    func end() async throws -> SweepView {
        try await settle([first, second])
        try await settle([first, second, newcomer])
        for device in devices {
            let folder = device.disk.snapshot(of: SweepDevice.folder)
            let report = try await device.sync()
            let moved = report.entities.reduce(0) { $0 + $1.pushed + $1.pulled + $1.merged }
            guard moved == 0, report.requests <= 1, report.outcome == .synced, report.problems.isEmpty else {
                throw WorldError(
                    description:
                        "a further sync of \(device.name) moves \(moved) records in \(report.requests) requests and is \(report.outcome): \(report.problems)"
                )
            }
            if device.disk.snapshot(of: SweepDevice.folder) != folder {
                throw WorldError(description: "a further sync of \(device.name) writes in the folder")
            }
        }
        return try view()
    }
}

extension SweepStage {
    /// Everything on which the rest of a run depends. Nil where it cannot be read, which is no fault of a scene in which a
    /// server has nothing yet.
    func fingerprint() -> Fingerprint? {
        do {
            var found = Fingerprint()
            for device in [first, second] {
                found.stores.append(try StoredState(path: SweepDevice.storePath, on: device.disk))
                found.folders.append(device.disk.snapshot(of: SweepDevice.folder))
            }
            for path in serverDisk.snapshot(of: "/server").files.keys.sorted() where path.hasSuffix(".sqlite")
            {
                found.stores.append(try StoredState(path: path, on: serverDisk))
            }
            return found
        } catch { return nil }
    }

    /// See `fingerprint()`.
    struct Fingerprint: Hashable {
        var stores: [StoredState] = []
        var folders: [DiskSnapshot] = []
    }

    /// What the devices show.
    func view() throws -> SweepView {
        var view = SweepView()
        // Where a folder drops tombstones, a device may still have one that others have dropped.
        for device in devices {
            view.lines[device.name] = try SweepView.lines(
                device: device,
                entities: scene.entities,
                withTombstones: scene.collectBytes >= 0
            )
        }
        // Whoever joins later gets no tombstones that nobody needs any more, and no history.
        view.lines[newcomer.name]?.removeAll { !$0.hasPrefix("live") }
        // In a conflict each shows its own side until a person decides.
        if view.lines.values.joined().contains(where: { $0.hasPrefix("against") }) { return view }
        let common = view.lines.mapValues { $0.filter { $0.hasPrefix("live") } }
        for device in devices where common[device.name] != common[first.name] {
            throw WorldError(
                description: "A and \(device.name) differ: "
                    + SweepView.difference(wanted: common[first.name] ?? [], found: common[device.name] ?? [])
            )
        }
        return view
    }
}

/// What devices show to those who use them: records, conflicts, and what was kept of decisions.
struct SweepView: Hashable {
    var lines: [String: [String]] = [:]
    /// What a tombstone's line begins with where a folder drops tombstones.
    private static let tombstone = "tombstone"

    static func lines(device: SweepDevice, entities: [EntityDescriptor], withTombstones: Bool = true)
        throws
        -> [String]
    {
        try device.store().read { snapshot in
            var lines: [String] = []
            for entity in entities {
                let encoder = RecordEncoder(descriptor: entity, form: .plain)
                func text(version: SyncRecord) -> String {
                    String(decoding: encoder.bytes(version.record), as: UTF8.self)
                }
                try snapshot.scan(entity: entity, includeHidden: true) { local in
                    let key = local.version.key
                    if !withTombstones, local.version.isDeleted, local.state == .synced {
                        return lines.append("\(Self.tombstone) \(entity.name) \(key.text)")
                    }
                    lines.append("\(local.visibility) \(entity.name) \(text(version: local.version))")
                    lines.append("state \(entity.name) \(key.text) \(local.state)")
                    if local.state == .conflict,
                        let other = try snapshot.side(entity: entity, key: key, kind: .remote)
                    {
                        lines.append("against \(entity.name) \(text(version: other)) \(other.isDeleted)")
                    }
                    for entry in try snapshot.history(entity: entity, key: key) {
                        lines.append("history \(entity.name) \(key.text) \(entry.event)")
                    }
                }
            }
            for entry in try snapshot.journal() {
                lines.append("journal \(entry.lost.entity) \(entry.lost.key.text) \(entry.rule)")
            }
            for entry in try snapshot.rejections() { lines.append("rejected \(entry)") }
            return lines
        }
    }

    /// The first line that only one of both has.
    static func difference(wanted: [String], found: [String]) -> String {
        let missing = wanted.filter { !found.contains($0) }.prefix(2)
        let extra = found.filter { !wanted.contains($0) }.prefix(2)
        if missing.isEmpty, extra.isEmpty { return "\(found.count) lines instead of \(wanted.count)" }
        return "missing \(Array(missing)), unexpected \(Array(extra))"
    }

    func difference(from wanted: SweepView) -> String? {
        for (name, lines) in wanted.lines.sorted(by: { $0.key < $1.key }) {
            // A tombstone that is still here does no harm; one that is missing is told.
            let found = (self.lines[name] ?? []).filter {
                !$0.hasPrefix(Self.tombstone) || lines.contains($0)
            }
            if found != lines { return "\(name): " + Self.difference(wanted: lines, found: found) }
        }
        return nil
    }
}
