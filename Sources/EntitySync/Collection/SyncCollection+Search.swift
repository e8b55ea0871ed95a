import SyncCore

/// Full-text search.
extension SyncCollection {
    /// The records that a search finds, best first. Throws if the schema asks for no search.
    public func search(_ search: SyncSearch<Entity>) throws -> [SearchHit<Entity>] {
        let search = try search.storeSearch()
        return try store.read { snapshot in
            try snapshot.search(entity: descriptor, search: search).compactMap { hit in
                let record = hit.record.version.record
                do {
                    let model = try Entity.adapter.model(record, store: snapshot.storeID)
                    return SearchHit(record: model, hit: hit)
                } catch is FieldError {
                    return nil
                }
            }
        }
    }

    /// The 20 records that fit best what a person wrote: `search("mercy*")`. See ``TextSearch``.
    public func search(_ text: String) throws -> [SearchHit<Entity>] { try search(SyncSearch(text)) }

    /// The records that a search finds: now, and again whenever the hits change.
    public func observe(_ search: SyncSearch<Entity>) -> SyncObservation<[SearchHit<Entity>]>
    where Entity: Equatable {
        let collection = self
        return SyncObservation(store: store, entities: search.entities) {
            { try collection.search(search) }
        }
    }
}
