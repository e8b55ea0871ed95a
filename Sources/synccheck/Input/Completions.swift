import ArgumentParser
import EntitySync
import Foundation
import SyncCore
import SyncStore

/// What a shell offers while somebody types.
enum Completions {
    /// The names of the entities in the folder of `--schemas`.
    static let entity = CompletionKind.custom { words, _, prefix in
        entities(words: words).filter { $0.hasPrefix(prefix) }
    }

    /// The keys of records of the entity that was typed before, the first ones by name.
    static let key = CompletionKind.custom { words, _, prefix in
        keys(words: words, prefix: prefix)
    }

    /// More would not fit a screen.
    static let maxKeys = 50

    /// Entities by the names of the files, so that a broken schema does not stop anybody from typing.
    static func entities(words: [String]) -> [String] {
        let folder = option(name: "--schemas", in: words) ?? SchemaOptions.standard
        let files = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return files.filter { $0.hasSuffix(suffix) }.map { String($0.dropLast(suffix.count)) }.sorted()
    }

    /// Keys of the first entity among the words, which begin with `prefix`. Empty if the store does not exist or cannot be
    /// read: nothing may be printed while somebody types.
    static func keys(words: [String], prefix: String) -> [String] {
        guard let name = words.first(where: entities(words: words).contains),
            let workspace = try? Workspace(
                schemaPaths: [option(name: "--schemas", in: words) ?? SchemaOptions.standard],
                storePath: option(name: "--store", in: words) ?? StoreOptions.standard
            ),
            let entity = try? workspace.entity(name: name), let store = try? workspace.openUnchanged()
        else { return [] }
        let first = RecordKey(prefix)
        // Keys are in the order of their text, so that those with the prefix follow it.
        let query = StoreQuery(
            limit: maxKeys,
            after: prefix.isEmpty ? nil : StoreQuery.Position(values: [], key: first)
        )
        let keys = try? store.read { snapshot in
            let isRecord = try snapshot.header(entity: entity, key: first)?.visibility == .live
            return try (isRecord ? [prefix] : [])
                + snapshot.query(entity: entity, query: query).map { $0.version.key.text }
        }
        return keys?.filter { $0.hasPrefix(prefix) }.prefix(maxKeys).map(\.self) ?? []
    }

    private static let suffix = ".schema.json"

    private static func option(name: String, in words: [String]) -> String? {
        if let place = words.firstIndex(of: name), place + 1 < words.count { return words[place + 1] }
        return words.first { $0.hasPrefix(name + "=") }.map { String($0.dropFirst(name.count + 1)) }
    }
}
