import SyncCore

/// What a sync knows about its remote.
struct PulledRemote {
    /// The author of changes from a remote without version metadata.
    let author: DeviceID
    /// What the remote can do.
    let capabilities: RemoteCapabilities

    /// How many versions of a record it holds.
    var kind: RemoteKind { RemoteKind(of: capabilities) }

    init(author: DeviceID = DeviceID(bits: 0), capabilities: RemoteCapabilities = []) {
        (self.author, self.capabilities) = (author, capabilities)
    }

    init(backend: any RemoteBackend, greeting: SessionGreeting) {
        self.init(author: .remote(binding: greeting.binding), capabilities: backend.capabilities)
    }

    /// Throws if a page needs an undeclared capability. `what` names it in words.
    func require(_ capability: RemoteCapabilities, of what: String) throws {
        guard capabilities.contains(capability) else { throw SyncError.undeclared(capability: what) }
    }
}

extension Pull {
    /// Diagnostics about parts of the remote's state that were not used as they were.
    var diagnostics: [RemoteDiagnostic] {
        sync.keptOutOfScope.sorted { $0.key < $1.key }.map { .keptOutOfScope(entity: $0, count: $1) }
            + missing.sorted { $0.key < $1.key }.map {
                .missing(entity: $0, absent: $1.absent, known: $1.known)
            }
    }
}

extension RemoteDiagnostic {
    /// Records left the device's scope, but are kept until their pending changes are sent.
    fileprivate static func keptOutOfScope(entity: String, count: Int) -> RemoteDiagnostic {
        let subject = count == 1 ? "1 \(entity) record that waits" : "\(count) \(entity) records that wait"
        return RemoteDiagnostic(
            rule: "out-of-scope",
            place: entity,
            message: "\(subject) to be sent left what the remote shows to this device; nothing was removed.",
            isSerious: false
        )
    }

    /// A remote without tombstones suddenly shows many records no more.
    fileprivate static func missing(entity: String, absent: Int, known: Int) -> RemoteDiagnostic {
        let words =
            "Missing at the remote: \(absent) of \(known) \(entity) records. They are kept here, as an expired login or "
            + "another filter would look the same. "
        return RemoteDiagnostic(
            rule: "missing-at-remote",
            place: entity,
            message: words + "If they were deleted there, sync once with 'acceptsMissing'.",
            commandLineMessage: words + "If they were deleted there, run 'sync --accept-missing'.",
            isSerious: true
        )
    }
}

extension RemoteDiagnostic {
    /// Patterns of an entity that are not checked: an earlier version took them, and no engine matches them in a
    /// time that every text allows.
    static func patternsNotChecked(of entity: EntityDescriptor) -> [RemoteDiagnostic] {
        entity.layout.patterns.unchecked.map { pattern in
            RemoteDiagnostic(
                rule: "pattern-not-checked",
                place: "\(entity.name).\(pattern.field)",
                message:
                    "The pattern of '\(pattern.field)' is not checked: \(pattern.error.reason) (character \(pattern.error.character)).",
                isSerious: false
            )
        }
    }
}

extension RemoteDiagnostic {
    /// Records of others whose entity this version of the app does not know. They are kept for one that does.
    static func unknownEntities(_ rejections: [Rejection], known: [EntityDescriptor]) -> [RemoteDiagnostic] {
        let names = Set(known.map(\.name))
        let counts = Dictionary(grouping: rejections.filter { !names.contains($0.entity) }, by: \.entity)
        return counts.mapValues(\.count).sorted { $0.key < $1.key }.map { entity, count in
            let subject = count == 1 ? "1 record of \(entity) is" : "\(count) records of \(entity) are"
            return RemoteDiagnostic(
                rule: "unknown-entity",
                place: entity,
                message: "\(subject) kept for a version of this app that knows \(entity).",
                isSerious: false
            )
        }
    }

    /// Edits that are not sent, because no schema describes their entity.
    static func withoutSchema(counts: [String: Int]) -> [RemoteDiagnostic] {
        counts.sorted { $0.key < $1.key }.map { entity, count in
            let subject = count == 1 ? "1 record of \(entity) is" : "\(count) records of \(entity) are"
            return RemoteDiagnostic(
                rule: "without-schema",
                place: entity,
                message: "\(subject) not sent, because no schema describes \(entity); put its schema back.",
                isSerious: true
            )
        }
    }
}

extension FieldError {
    /// A version holds another key than the one under which it came.
    static var otherKey: FieldError {
        FieldError(
            field: "",
            rule: "key",
            message: "The record does not hold the key under which it came."
        )
    }

    /// A version came without the metadata that its remote keeps of every version.
    static var noMetadata: FieldError {
        FieldError(field: "", rule: "metadata", message: "The record came without its version metadata.")
    }
}
