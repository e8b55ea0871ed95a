import EntitySync
import Foundation
import SyncCore
import SyncFileBackend

/// The devices that share a folder, as `doctor` shows them.
struct FolderDevices {
    /// A device and how far it is.
    struct Device {
        var id: DeviceID
        /// Its name for people; empty if it is not known.
        var label: String
        /// Whether it is the store that is looked at.
        var isOwn: Bool
        var isRetired: Bool
        /// The end of the last sync that had something to send or to take; nil if it is not known.
        var lastSync: Timestamp?
        /// How many pushes of other devices it has not taken.
        var behind: Int64
    }

    /// All devices, this one first, then by name.
    var devices: [Device]

    /// Reads the folder of the store's last sync. Nil without one, or if the folder cannot be read at present.
    init?(store: any LocalStore, lastSync: String?) async {
        guard let remote = try? RemoteArgument(lastOf: store), case .folder(let path) = remote,
            let id = try? store.read({ try $0.value(name: StoreValueName.device) }), let own = DeviceID(id),
            let found = try? await FolderBackend(root: path).devices()
        else { return nil }
        self.init(found, own: own) { device in
            if device == own { return lastSync.flatMap { Timestamp($0) } }
            let file = path + "/" + FolderBackend.deviceFileKey(device)
            let attributes = try? FileManager.default.attributesOfItem(atPath: file)
            guard let date = attributes?[.modificationDate] as? Date else { return nil }
            return Timestamp(microseconds: Int64(date.timeIntervalSince1970) * 1_000_000)
        }
    }

    /// Compares what devices have published with what they have taken. Former identities of a device are left out.
    init(_ found: [FolderDevice], own: DeviceID, lastSync: (DeviceID) -> Timestamp?) {
        devices = found.filter { !$0.isFormer || $0.device == own }.map { device in
            let behind = found.reduce(Int64(0)) { sum, other in
                other.device == device.device
                    ? sum : sum + max(0, other.published - (device.taken[other.device] ?? 0))
            }
            return Device(
                id: device.device,
                label: device.label,
                isOwn: device.device == own,
                isRetired: device.isRetired,
                lastSync: lastSync(device.device),
                behind: behind
            )
        }
        devices.sort { lhs, rhs in
            if lhs.isOwn != rhs.isOwn { return lhs.isOwn }
            return (lhs.label, lhs.id) < (rhs.label, rhs.id)
        }
    }

    /// A line for each device.
    var text: String {
        "devices of the shared folder:\n" + devices.map { "  \($0.text)\n" }.joined()
    }

    /// Writes the devices as an array.
    func write(to writer: inout JSONWriter) {
        writer.array(elements: devices) { writer, device in
            writer.beginObject()
            writer.member(name: "device", text: device.id.description)
            writer.member(name: "label", text: device.label)
            writer.member(name: "own", value: device.isOwn)
            writer.member(name: "retired", value: device.isRetired)
            writer.member(name: "lastSync", text: device.lastSync?.description)
            writer.member(name: "behind", number: device.behind)
            writer.endObject()
        }
    }
}

extension FolderDevices.Device {
    /// The device in one line: `'phone' (3f2a1b0c…): last synced 2026-01-02T03:04:05Z, 2 pushes behind`.
    var text: String {
        var name = label.isEmpty ? id.short : "'\(label.visible)' (\(id.short))"
        if isOwn { name += ", this one" }
        if isRetired { return "\(name): retired" }
        let seen = lastSync.map { "last synced \($0)" } ?? "has not synced yet"
        return "\(name): \(seen), " + (behind > 0 ? "\(Int(behind).pushes) behind" : "up to date")
    }
}

extension DeviceID {
    /// The first digits, which tell a person's devices apart.
    var short: String { description.prefix(8) + "…" }
}

extension Int {
    /// The number of pushes, in words.
    fileprivate var pushes: String { self == 1 ? "1 push" : "\(self) pushes" }
}
