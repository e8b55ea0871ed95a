package import SyncCore

/// Fingerprints that one device sent of the records that it shows.
package struct DeviceFingerprints: Sendable, Hashable {
    /// The device.
    package let device: DeviceID
    /// When the server received them.
    package let time: Timestamp
    /// One line for each entity, sorted: the fingerprint, a space, and the device's name for it.
    package let text: String

    /// Makes the fingerprints that a log stores.
    package init(device: DeviceID, time: Timestamp, text: String) {
        (self.device, self.time, self.text) = (device, time, text)
    }

    /// Makes the fingerprints of a request, restricted to the entities that the device exchanges.
    init(device: DeviceID, time: Timestamp, records: [String: Digest], entities: Set<String>) {
        let lines = records.filter { entities.contains(Self.entity(of: $0.key)) }.map { "\($1) \($0)" }
        self.init(device: device, time: time, text: lines.sorted().joined(separator: "\n"))
    }

    /// The fingerprints by name.
    var digests: [Substring: Substring] {
        let lines = text.split(separator: "\n").map { line in
            (line.dropFirst(Self.digestLength + 1), line.prefix(Self.digestLength))
        }
        return Dictionary(lines, uniquingKeysWith: { first, _ in first })
    }

    private static let digestLength = 32

    /// The entity in a fingerprint's name, which consists of entity, space and schema.
    static func entity(of name: some StringProtocol) -> String { String(name.prefix { $0 != " " }) }
}

/// Devices that have seen the same versions but show different records.
struct RecordDifferences: Sendable {
    /// Fingerprints older than this are ignored, so that a lost device is not reported for ever.
    private static let maxAgeSeconds: Int64 = 30 * 86_400

    /// For each device, the entities in which another device differs, and the time of that device's latest
    /// fingerprints.
    private var times: [DeviceID: [String: Timestamp]] = [:]

    /// Compares the fingerprints that devices sent at one position of a log.
    init(_ fingerprints: [DeviceFingerprints]) {
        for (place, first) in fingerprints.enumerated() {
            for other in fingerprints.dropFirst(place + 1) where first.text != other.text {
                let (left, right) = (first.digests, other.digests)
                for (name, digest) in left where right[name].map({ $0 != digest }) ?? false {
                    let entity = DeviceFingerprints.entity(of: name)
                    note(first.device, entity: entity, time: other.time)
                    note(other.device, entity: entity, time: first.time)
                }
            }
        }
    }

    private mutating func note(_ device: DeviceID, entity: String, time: Timestamp) {
        let known = times[device]?[entity] ?? time
        times[device, default: [:]][entity] = max(known, time)
    }

    /// The entities in which another device shows different records than this one, sorted.
    func entities(of device: DeviceID, at now: Timestamp) -> [String] {
        guard let all = times[device] else { return [] }
        let oldest = now.adding(seconds: -Self.maxAgeSeconds)
        return all.filter { $0.value >= oldest }.keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }
}
