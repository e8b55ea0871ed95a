package import SyncCore
import SyncWire

/// The rules for a change that need no stored version: its entity, its header and its body.
struct ChangeRules: Sendable {
    /// The most devices in a version vector.
    static let maxDevices = 10_000

    let entities: EntityList
    let account: Account

    /// The validator of an entity's bodies. Throws `ChangeError` if the account may not exchange the entity.
    func check(_ entity: String) throws -> BodyCheck {
        guard let descriptor = entities[entity] else { throw ChangeError.unknownEntity }
        guard account.entities?.contains(entity) != false else { throw ChangeError.forbidden }
        return BodyCheck(descriptor)
    }

    /// The version metadata of a change whose header is valid. Throws `ChangeError`.
    func metadata(of header: Change.Header) throws -> VersionMetadata {
        guard let metadata = header.metadata else { throw ChangeError.malformed }
        if header.key.text.isEmpty { throw ChangeError.emptyKey }
        if metadata.vector.entries.count > Self.maxDevices { throw ChangeError.longVector }
        guard metadata.vector.covers(metadata.editTimestamp) else { throw ChangeError.uncoveredTimestamp }
        return metadata
    }
}

/// Checks the changes of one push by the rules that need no stored version, for a store that decides about versions
/// itself. Every store asks the same rules, so that all refuse the same changes.
package struct PushCheck {
    private let rules: ChangeRules
    /// The validators of the changes' bodies, by entity.
    private var checks: [String: BodyCheck] = [:]

    /// Prepares the check of one request.
    package init(entities: EntityList, account: Account) {
        rules = ChangeRules(entities: entities, account: account)
    }

    /// What the rules say about a change.
    package enum Outcome {
        /// It may be stored as it is.
        case valid
        /// It is a delete whose last values do not fit. It is stored with this body, which has the key only.
        case keyOnly([UInt8])
        /// It is not stored, unless it was stored before. A change that is not based on the stored version is answered
        /// with that version instead.
        case refused(ChangeError)
    }

    /// Checks a change. Throws only errors that say nothing about the change.
    package mutating func outcome(of change: Change) throws -> Outcome {
        do {
            let check = try check(change.header.entity)
            _ = try rules.metadata(of: change.header)
            let checked = try check.checked(change: change)
            return checked.isKept ? .valid : .keyOnly(check.body(withKeyOnly: change.header.key))
        } catch let refusal as ChangeError {
            return .refused(refusal)
        }
    }

    private mutating func check(_ entity: String) throws -> BodyCheck {
        if let check = checks[entity] { return check }
        let check = try rules.check(entity)
        checks[entity] = check
        return check
    }
}

/// The entities that the server knows, by name.
package struct EntityList: Sendable {
    private let entities: [String: EntityDescriptor]

    /// Makes a list. Of two entities with one name it holds the first.
    package init(_ entities: [EntityDescriptor]) {
        self.entities = Dictionary(entities.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// The names of all entities.
    var names: [String] { Array(entities.keys) }

    subscript(name: String) -> EntityDescriptor? { entities[name] }
}
