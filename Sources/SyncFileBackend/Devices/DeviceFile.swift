package import SyncCore

/// A device's `device.json`, the only file that it ever rewrites.
package struct DeviceFile: Sendable, Hashable {
    /// The incarnation.
    var device: DeviceID
    /// A name for people.
    var label: String
    /// The number of the device's last acknowledged segment.
    var number: Int64 = 0
    /// The fingerprint of that segment, if it is known.
    var digest: String?
    /// The highest sequence of the device that it has published.
    var sequence: Int64 = 0
    /// For every other device, the number up to which everything was taken. Tombstones stay until all devices have
    /// taken them.
    var taken: [DeviceID: Int64] = [:]
    /// The highest number taken from devices whose files are gone and whose versions were published again by others.
    var lost: [DeviceID: Int64] = [:]
    /// Devices that will not return.
    var retired: [DeviceID] = []
    /// Former incarnations of the same store.
    var former: [DeviceID] = []
    /// The tags of its last segments.
    var tags = TagNotes()
    /// The tags of every other device's last segments, as taken.
    var seen: [DeviceID: TagNotes] = [:]
    /// Fingerprints of the device's live records, by entity, after it has seen everything in `taken`. Nil if unknown.
    var records: [String: String]?
    /// The size of the folder when superseded entries were last collected.
    var collected: Int64 = 0

    static let format = "entitysync.device"
    static let version: Int64 = 1
    /// A device file larger than this is not one.
    static let maxBytes = 4 << 20

    /// The file of a device that has published nothing.
    init(device: DeviceID, label: String) {
        self.device = device
        self.label = label
    }

    /// JSON on one line, members and devices in a fixed order.
    package var bytes: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("format", value: Self.format)
        writer.member("version", value: Self.version)
        writer.member("device", value: device.description)
        writer.member("label", value: label)
        writer.member("number", value: number)
        if let digest { writer.member("digest", value: digest) }
        writer.member("sequence", value: sequence)
        Self.write(taken, named: "taken", to: &writer)
        if !lost.isEmpty { Self.write(lost, named: "lost", to: &writer) }
        writer.member("retired", value: retired.sorted().map(\.description))
        if !former.isEmpty { writer.member("former", value: former.sorted().map(\.description)) }
        if !tags.isEmpty { writer.member("files", value: tags.text) }
        if !seen.isEmpty {
            writer.name("seen")
            writer.beginObject()
            for (device, notes) in seen.sorted(by: { $0.key < $1.key }) {
                writer.member(device.description, value: notes.text)
            }
            writer.endObject()
        }
        if let records {
            writer.name("records")
            writer.beginObject()
            for (entity, digest) in records.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) })
            {
                writer.member(entity, value: digest)
            }
            writer.endObject()
        }
        writer.member("collected", value: collected)
        writer.endObject()
        return writer.bytes + [UInt8(ascii: "\n")]
    }

    private static func write(_ numbers: [DeviceID: Int64], named name: String, to writer: inout JSONWriter) {
        writer.name(name)
        writer.beginObject()
        for (device, number) in numbers.sorted(by: { $0.key < $1.key }) {
            writer.member(device.description, value: number)
        }
        writer.endObject()
    }

    /// Why a device file cannot be used.
    package enum ReadError: Error, Sendable, Hashable {
        /// It is not a device file, not complete, or the file of another device.
        case broken
        /// A newer program wrote it, in this format version.
        case newerFormat(Int64)
    }

    /// Reads the file of `device`.
    package init(bytes: [UInt8], of device: DeviceID) throws(ReadError) {
        let result = bytes.withUnsafeBufferPointer { buffer -> Result<DeviceFile?, any Error> in
            Result { try Self.read(bytes: buffer, device: device) }
        }
        switch result {
        case .success(let file?) where file.device == device: self = file
        case .failure(let refusal as ReadError): throw refusal
        default: throw .broken
        }
    }

    private static func read(bytes: UnsafeBufferPointer<UInt8>, device: DeviceID) throws -> DeviceFile? {
        var reader = try JSONReader(bytes)
        var file = DeviceFile(device: device, label: "")
        guard try reader.beginObject(), try reader.name().decode() == "format",
            try reader.string().decode() == format, try reader.nextMember(),
            try reader.name().decode() == "version"
        else { return nil }
        let version = try reader.integer()
        guard version <= Self.version else { throw ReadError.newerFormat(version) }
        while try reader.nextMember() {
            switch try reader.name().decode() {
            case "device":
                guard let written = DeviceID(try reader.string().decode()) else { return nil }
                file.device = written
            case "label": file.label = try reader.string().decode()
            case "number": file.number = try reader.integer()
            case "digest": file.digest = try reader.string().decode()
            case "sequence": file.sequence = try reader.integer()
            case "taken": file.taken = try takenNumbers(reader: &reader)
            case "lost": file.lost = try takenNumbers(reader: &reader)
            case "retired": file.retired = try devices(reader: &reader)
            case "former": file.former = try devices(reader: &reader)
            case "files":
                guard let tags = TagNotes(try reader.string().decode()) else { return nil }
                file.tags = tags
            case "seen":
                for (name, text) in try texts(reader: &reader) {
                    guard let device = DeviceID(name), let notes = TagNotes(text) else { return nil }
                    file.seen[device] = notes
                }
            case "records": file.records = try texts(reader: &reader)
            case "collected": file.collected = try reader.integer()
            default: try reader.skipValue()
            }
        }
        try reader.end()
        return file
    }

    private static func takenNumbers(reader: inout JSONReader) throws -> [DeviceID: Int64] {
        var taken: [DeviceID: Int64] = [:]
        guard try reader.beginObject() else { return taken }
        repeat {
            guard let device = DeviceID(try reader.name().decode()) else { throw ReadError.broken }
            taken[device] = try reader.integer()
        } while try reader.nextMember()
        return taken
    }

    private static func texts(reader: inout JSONReader) throws -> [String: String] {
        var texts: [String: String] = [:]
        guard try reader.beginObject() else { return texts }
        repeat {
            texts[try reader.name().decode()] = try reader.string().decode()
        } while try reader.nextMember()
        return texts
    }

    private static func devices(reader: inout JSONReader) throws -> [DeviceID] {
        var devices: [DeviceID] = []
        guard try reader.beginArray() else { return devices }
        repeat {
            guard let device = DeviceID(try reader.string().decode()) else { throw ReadError.broken }
            devices.append(device)
        } while try reader.nextElement()
        return devices
    }
}

extension FolderReader {
    /// The readable device files.
    func deviceFiles(scan: FolderScan) async throws -> [DeviceID: DeviceFile] {
        let devices = scan.devices.filter(\.hasDeviceFile).map(\.device)
        let files = try await storage.concurrentMap(devices) { try? await deviceFile(device: $0) }
        return zip(devices, files).reduce(into: [:]) { $0[$1.0] = $1.1 }
    }

    /// The readable device files, including that of `own`. Throws if a newer version of this program wrote it, so
    /// that it is not overwritten.
    func deviceFiles(scan: FolderScan, own: DeviceID) async throws -> [DeviceID: DeviceFile] {
        let others = scan.devices.filter { $0.hasDeviceFile && $0.device != own }.map(\.device)
        let devices = others + [own]
        let files = try await storage.concurrentMap(devices) { device in
            device == own ? try await deviceFile(device: device) : try? await deviceFile(device: device)
        }
        return zip(devices, files).reduce(into: [:]) { $0[$1.0] = $1.1 }
    }

    /// Reads a device's file. Nil if there is none or it is broken; throws for a newer format.
    func deviceFile(device: DeviceID) async throws -> DeviceFile? {
        let bytes: [UInt8]
        do {
            bytes = try await storage.get(
                FolderLayout.deviceFile(device: device),
                maxBytes: DeviceFile.maxBytes
            )
        } catch let error as StorageError {
            switch error.kind {
            case .notFound, .notAnObject, .tooLarge: return nil
            default: throw error
            }
        }
        do throws(DeviceFile.ReadError) {
            return try DeviceFile(bytes: bytes, of: device)
        } catch {
            if case .newerFormat = error { throw error }
            return nil
        }
    }

    /// Replaces a device's file.
    func write(_ file: DeviceFile) async throws {
        let key = FolderLayout.deviceFile(device: file.device)
        try await storage.put(key, bytes: file.bytes, ifAbsent: false)
    }
}
