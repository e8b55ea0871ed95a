import SyncCore

/// A record, by entity and key.
struct RecordID: Hashable, Comparable, CustomStringConvertible {
    var entity: String
    var key: RecordKey

    var description: String { "\(entity) \(key.text)" }

    static func < (left: Self, right: Self) -> Bool {
        left.entity == right.entity ? left.key < right.key : left.entity < right.entity
    }
}
