import SyncCore

/// The order of entries in files: by entity, key and edit timestamp.
extension Change.Header {
    /// Whether the version precedes the other.
    func precedes(_ other: Self) -> Bool {
        guard entity.utf8.elementsEqual(other.entity.utf8) else {
            return RecordKey(entity) < RecordKey(other.entity)
        }
        if key != other.key { return key < other.key }
        return writtenMetadata.editTimestamp < other.writtenMetadata.editTimestamp
    }

    /// Whether both are versions of one record.
    func isOfSameRecord(as other: Self) -> Bool {
        key == other.key && entity.utf8.elementsEqual(other.entity.utf8)
    }

    /// Whether both are the same except for the body.
    func isSameVersion(as other: Self) -> Bool {
        metadata == other.metadata && isDeleted == other.isDeleted && mergedInto == other.mergedInto
    }
}

extension [Change] {
    /// The positions of the entries by entity, key, edit timestamp and position. Entries are large: positions are moved
    /// instead.
    func sortedPositions() -> [Int] {
        var ranks: [RecordKey: Int] = [:]
        for entry in self { ranks[RecordKey(entry.header.entity)] = 0 }
        for (rank, name) in ranks.keys.sorted().enumerated() { ranks[name] = rank }
        // Nearly all comparisons end at the first bytes of the key, without touching the entries.
        var places = enumerated().map { position, entry in
            SortPlace(
                rank: ranks[RecordKey(entry.header.entity)] ?? 0,
                prefix: entry.header.key.prefix,
                position: position
            )
        }
        places.sort { place, other in
            if place.rank != other.rank { return place.rank < other.rank }
            if place.prefix != other.prefix { return place.prefix < other.prefix }
            let (lhs, rhs) = (self[place.position].header, self[other.position].header)
            if lhs.key != rhs.key { return lhs.key < rhs.key }
            let (left, right) = (lhs.writtenMetadata.editTimestamp, rhs.writtenMetadata.editTimestamp)
            if left != right { return left < right }
            return place.position < other.position
        }
        return places.map(\.position)
    }
}

private struct SortPlace {
    var rank: Int
    var prefix: UInt64
    var position: Int
}
