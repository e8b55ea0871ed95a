import SyncCore
import SyncWire

/// Files in a folder that no device has put there.
extension SimulatedWorld {
    /// Leaves a file with a wrong name, or one with an invalid record, in a device's copy of the folder.
    func leaveStrangeFile(_ device: SimulatedDevice, draw: inout Seed) {
        guard server == nil, let account = device.account else { return }
        let home = Self.folder(account: account) + "/entitysync"
        if Bool.random(using: &draw) {
            leaveUnfitRecord(device, home: home, draw: &draw)
        } else {
            leaveMisnamedFile(device, home: home, own: device.ownFolders(account: account), draw: &draw)
        }
    }

    /// Another program publishes a record without its members.
    private func leaveUnfitRecord(_ device: SimulatedDevice, home: String, draw: inout Seed) {
        guard let entity = cast(device: device).first else { return }
        let foreigner = DeviceID(bits: 255)
        let editTimestamp = EditTimestamp(time: time, device: foreigner, sequence: 1)
        var writer = SegmentWriter(SegmentHeader(device: foreigner, range: 1...1, kind: .segment, entries: 1))
        writer.append(
            Change(
                Change.Header(
                    entity: entity.name,
                    key: RecordKey("strange"),
                    metadata: VersionMetadata(first: editTimestamp)
                ),
                body: Array("{}".utf8)
            )
        )
        // A failing disk does not store the file.
        try? device.disk.makeFolder("\(home)/\(foreigner)")
        let path = "\(home)/\(foreigner)/segment-00000001.ndjson"
        guard (try? device.disk.writeAtomically(writer.finish().bytes, to: path, replaces: true)) != nil
        else { return }
        note(.fault, device: device.index, text: "finds a record in its folder that fits no schema")
    }

    /// A folder service stores another device's file under the number of its next one.
    private func leaveMisnamedFile(
        _ device: SimulatedDevice,
        home: String,
        own: Set<String>,
        draw: inout Seed
    ) {
        let folders = ((try? device.disk.list(path: home)) ?? []).filter { !own.contains($0) }
        guard let folder = folders.randomElement(using: &draw),
            let names = try? device.disk.list(path: "\(home)/\(folder)"),
            let last = names.last(where: { $0.hasPrefix("segment-") }),
            let number = Int(last.dropFirst(8).prefix(8)),
            let bytes = try? device.disk.read(path: "\(home)/\(folder)/\(last)", maxBytes: 1 << 26)
        else { return }
        let digits = String(number + 1)
        let name = "segment-" + String(repeating: "0", count: max(0, 8 - digits.count)) + digits + ".ndjson"
        guard
            (try? device.disk.writeAtomically(bytes, to: "\(home)/\(folder)/\(name)", replaces: false)) != nil
        else { return }
        note(.fault, device: device.index, text: "finds a file of another device under a wrong name")
    }
}
