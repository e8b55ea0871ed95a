import SyncCore

/// Loads segments concurrently with those that follow. With a storage that takes one call at a time, nothing is
/// loaded ahead.
struct SegmentPrefetch: Sendable {
    private let reader: FolderReader
    private var loaded: [Key: Result<SegmentFile, LoadError>] = [:]

    init(reader: FolderReader) {
        self.reader = reader
    }

    /// A file in a device's listing.
    struct Place: Sendable {
        var file: NumberedFile
        var listing: DeviceListing

        fileprivate var key: Key { Key(device: listing.device, file: file) }
        fileprivate var bytes: Int { listing.bytes(of: file) ?? 0 }

        /// The first `limit` files whose numbers are neither taken nor in an earlier file.
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

    /// Loads a file, or returns it if it was loaded ahead. Of the files `ahead`, which are likely to be needed next,
    /// as many are loaded as fit in `room` bytes together with it.
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

    /// Releases files that were loaded ahead and not used.
    mutating func removeAll() { loaded = [:] }
}
