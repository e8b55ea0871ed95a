import Foundation
import SyncCore
import SyncRuntime
import SyncServer

/// The world of one run of a sweep: the acting device, another one, and their remote.
package final class SweepStage {
    /// The devices: the acting one, the other one, and the newcomer.
    package let devices: [SweepDevice]
    /// The server, if there is one.
    package let server: LoopbackServer?
    let serverDisk: SimulatedDisk
    private let scene: SweepScene

    /// The state of a stage while nothing is running.
    struct Prepared {
        var disks: [DiskSnapshot] = []
        var times: [Timestamp] = []
        var server = DiskSnapshot(path: "/", content: nil)
        var serverTime = ManualClock().now()
    }

    /// Makes a stage from a prepared state, or an empty one, on disks with the given flaws.
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

    /// Device A, which performs the operation.
    package var first: SweepDevice { devices[0] }
    /// Device B.
    package var second: SweepDevice { devices[1] }
    /// Device C, which joins at the end.
    var newcomer: SweepDevice { devices[2] }

    /// Ends everything and returns the content of the disks.
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

    var targetDisk: SimulatedDisk { scene.target == .server ? serverDisk : first.disk }

    /// Advances all clocks by a second.
    package func pass() {
        for device in devices { device.clock.advance(seconds: 1) }
        server?.clock.advance(seconds: 1)
    }

    /// Copies each running device's files to the other copies of the folder.
    package func deliver() {
        guard server == nil else { return }
        for from in devices {
            guard let own = from.ownFolder else { continue }
            let files = from.disk.snapshot(of: own)
            guard files.content != nil else { continue }
            for to in devices where to !== from { to.disk.restore(files) }
        }
    }

    /// Syncs devices in turn until nothing changes. Throws errors of a sync, or a `WorldError` if they never
    /// come to rest.
    package func converge() async throws { try await converge([first, second]) }

    func converge(_ devices: [SweepDevice]) async throws {
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

    /// Lets both devices come to rest, lets a third one join, and syncs all without further changes. Returns
    /// what they show.
    func end() async throws -> SweepView {
        try await converge([first, second])
        try await converge([first, second, newcomer])
        for device in devices {
            let folder = device.disk.snapshot(of: SweepDevice.folder)
            let report = try await device.sync()
            let moved = report.entities.reduce(0) { $0 + $1.pushed + $1.pulled + $1.merged }
            guard moved == 0, report.requests <= 1, report.outcome == .synced, report.diagnostics.isEmpty
            else {
                throw WorldError(
                    description:
                        "a further sync of \(device.name) moves \(moved) records in \(report.requests) requests and is \(report.outcome): \(report.diagnostics)"
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
    /// Everything that determines the rest of a run. Nil if it cannot be read, which is allowed in a scene
    /// without server data.
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
        // If a folder collects tombstones, a device may still have some that others have dropped.
        for device in devices {
            view.lines[device.name] = try SweepView.lines(
                device: device,
                entities: scene.entities,
                withTombstones: scene.collectBytes >= 0
            )
        }
        // A newcomer gets no collected tombstones and no history.
        view.lines[newcomer.name]?.removeAll { !$0.hasPrefix("live") }
        // In a conflict each device shows its own side until a person decides.
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

/// What devices show to people: records, conflicts and journal entries.
struct SweepView: Hashable {
    var lines: [String: [String]] = [:]
    /// The prefix of a tombstone's line, if a folder collects tombstones.
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

    /// The first line that only one side has.
    static func difference(wanted: [String], found: [String]) -> String {
        let missing = wanted.filter { !found.contains($0) }.prefix(2)
        let extra = found.filter { !wanted.contains($0) }.prefix(2)
        if missing.isEmpty, extra.isEmpty { return "\(found.count) lines instead of \(wanted.count)" }
        return "missing \(Array(missing)), unexpected \(Array(extra))"
    }

    func difference(from wanted: SweepView) -> String? {
        for (name, lines) in wanted.lines.sorted(by: { $0.key < $1.key }) {
            // A remaining tombstone does no harm, but a missing one is reported.
            let found = (self.lines[name] ?? []).filter {
                !$0.hasPrefix(Self.tombstone) || lines.contains($0)
            }
            if found != lines { return "\(name): " + Self.difference(wanted: lines, found: found) }
        }
        return nil
    }
}
