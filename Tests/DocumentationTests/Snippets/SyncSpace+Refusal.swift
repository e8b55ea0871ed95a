import EntitySync
import SyncCore
import SyncEntities
import Testing

extension SyncSpace {
    /// Notes a refusal, as a push does that a server does not take.
    func refuse(_ key: RecordKey) throws {
        let entity = Bookmark.adapter.descriptor
        try localStore.write(.full) { transaction in
            var header = try #require(try transaction.header(entity: entity, key: key))
            header.state = .rejected
            try transaction.update(entity: entity, key: key, header: header)
            try transaction.setRejection(
                Rejection(
                    entity: entity.name,
                    key: key,
                    reason: "too long",
                    attempts: 1,
                    raw: nil,
                    since: SystemClock().now()
                )
            )
        }
    }
}
