#if Server
    import Foundation
    import SyncPostgres
    import SyncSchema

    /// The columns of each entity that a server put into a database, with their types.
    struct InstalledEntities: Equatable {
        /// Types by entity and column.
        private(set) var types: [String: [String: String]]

        /// What a server with these schemas needs.
        init(_ schemas: [Schema]) {
            types = PostgresGenerator.columnTypes(of: schemas)
        }

        /// Reads what `json` wrote; nil for anything else.
        init?(json: String) {
            guard
                let types = try? JSONDecoder().decode([String: [String: String]].self, from: Data(json.utf8))
            else { return nil }
            self.types = types
        }

        /// As JSON with sorted members.
        var json: String {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys]
            let data = (try? encoder.encode(types)) ?? Data("{}".utf8)
            return String(decoding: data, as: UTF8.self)
        }

        /// What the database has and these schemas lack or contradict, as `entity` or `entity.column`, sorted. The SQL of
        /// these schemas would take it from the servers that have it.
        func conflicts(with installed: InstalledEntities) -> [String] {
            installed.types.flatMap { entity, columns -> [String] in
                guard let own = types[entity] else { return [entity] }
                return columns.filter { own[$0.key] != $0.value }.map { "\(entity).\($0.key)" }
            }.sorted()
        }
    }
#endif
