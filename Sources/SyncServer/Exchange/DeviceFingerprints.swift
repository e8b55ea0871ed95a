package import SyncCore

/// Fingerprints of the records that one device shows, as it told them.
package struct DeviceFingerprints: Sendable, Hashable {
    /// The device.
    package let device: DeviceID
    /// When it told them, by the server's clock.
    package let time: Timestamp
    /// One line for each entity, sorted: the fingerprint, a space, and what the device calls it.
    package let text: String

    /// Reads what a log holds.
    package init(device: DeviceID, time: Timestamp, text: String) {
        (self.device, self.time, self.text) = (device, time, text)
    }

    /// Takes what a request tells of entities that the device exchanges.
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

    /// The entity that a fingerprint is of: its name is followed by a space and the schema.
    static func entity(of name: some StringProtocol) -> String { String(name.prefix { $0 != " " }) }
}

/// Where devices that have seen the same say that they show other records.
struct RecordDifferences: Sendable {
    /// What a device told is compared for so long: one that is gone for good must not be told of for ever.
    private static let maxAgeSeconds: Int64 = 30 * 86_400

    /// For each device the entities in which another one differs, and when such a one last told.
    private var times: [DeviceID: [String: Timestamp]] = [:]

    /// Compares what devices told at one position of a log.
    init(_ told: [DeviceFingerprints]) {
        for (place, first) in told.enumerated() {
            for other in told.dropFirst(place + 1) where first.text != other.text {
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

    /// The entities of which another device told other records than this one, sorted.
    func entities(of device: DeviceID, at now: Timestamp) -> [String] {
        guard let all = times[device] else { return [] }
        let oldest = now.adding(seconds: -Self.maxAgeSeconds)
        return all.filter { $0.value >= oldest }.keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }
}
