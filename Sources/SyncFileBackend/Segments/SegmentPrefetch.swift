import SyncCore

/// Loads segments side by side with those that come after them. A storage that takes one call at a time is asked for
/// nothing before its turn.
struct SegmentPrefetch: Sendable {
    private let reader: FolderReader
    private var loaded: [Key: Result<SegmentFile, LoadError>] = [:]

    init(reader: FolderReader) {
        self.reader = reader
    }

    /// A file of a device as it was listed.
    struct Place: Sendable {
        var file: NumberedFile
        var listing: DeviceListing

        fileprivate var key: Key { Key(device: listing.device, file: file) }
        fileprivate var bytes: Int { listing.bytes(of: file) ?? 0 }

        /// The first `limit` of some files whose numbers are neither taken nor stood for by one before.
        static func first(
            _ limit: Int,
            of files: ArraySlice<NumberedFile>,
            in listing: DeviceListing,
            notIn taken: NumberSet
        ) -> [Place] {
            var covered = taken
            var places: [Place] = []
            for file in files where places.count < limit && !covered.contains(file.range) {
                covered.insert(file.range)
                places.append(Place(file: file, listing: listing))
            }
            return places
        }
    }

    fileprivate struct Key: Hashable, Sendable {
        var device: DeviceID
        var file: NumberedFile
    }

    /// A file, loaded now or before. Of the files `ahead`, which are likely to be asked for next, as many are loaded with
    /// it as have `room` bytes together with it.
    mutating func load(
        _ place: Place,
        ahead: @autoclosure () -> [Place],
        room: Int
    ) async throws -> Result<SegmentFile, LoadError> {
        if let result = loaded.removeValue(forKey: place.key) { return result }
        let reader = reader
        guard reader.storage.maxConcurrentCalls > 1, loaded.isEmpty else {
            return try await reader.load(place.file, of: place.listing)
        }
        var places = [place]
        var bytes = place.bytes
        for next in ahead() {
            bytes += next.bytes
            guard bytes <= room, places.count < reader.storage.maxConcurrentCalls else { break }
            places.append(next)
        }
        let results = try await reader.storage.concurrentMap(places) { place in
            try await reader.load(place.file, of: place.listing)
        }
        for (place, result) in zip(places, results).dropFirst() { loaded[place.key] = result }
        return results[0]
    }

    /// Forgets what was loaded and not asked for.
    mutating func removeAll() { loaded = [:] }
}
