import SyncCore

/// What a pull knows of the remote whose pages it takes in.
struct PulledRemote {
    /// The author of what a remote without version metadata changes.
    let author: DeviceID
    /// What the remote can do.
    let capabilities: RemoteCapabilities

    init(author: DeviceID = DeviceID(bits: 0), capabilities: RemoteCapabilities = []) {
        (self.author, self.capabilities) = (author, capabilities)
    }

    init(backend: any RemoteBackend, greeting: SessionGreeting) {
        self.init(author: .remote(binding: greeting.binding), capabilities: backend.capabilities)
    }

    /// Throws where a page needs what the remote does not declare. `what` names that in words.
    func require(_ capability: RemoteCapabilities, of what: String) throws {
        guard capabilities.contains(capability) else { throw SyncError.undeclared(capability: what) }
    }
}

extension Pull {
    /// What of the remote's state could not be taken as it is.
    var problems: [RemoteDiagnostic] {
        keptOutOfScope.sorted { $0.key < $1.key }.map { .keptOutOfScope(entity: $0, count: $1) }
            + doubted.sorted { $0.key < $1.key }.map { .emptied(entity: $0, count: $1) }
    }
}

extension RemoteDiagnostic {
    /// Records that the device may not see any more wait to be sent, and are kept until they are.
    fileprivate static func keptOutOfScope(entity: String, count: Int) -> RemoteDiagnostic {
        let subject = count == 1 ? "1 \(entity) record that waits" : "\(count) \(entity) records that wait"
        return RemoteDiagnostic(
            rule: "out-of-scope",
            place: entity,
            message: "\(subject) to be sent left what the remote shows to this device; nothing was removed.",
            isSerious: false
        )
    }

    /// A remote without tombstones shows nothing any more.
    fileprivate static func emptied(entity: String, count: Int) -> RemoteDiagnostic {
        RemoteDiagnostic(
            rule: "emptied",
            place: entity,
            message: "The remote shows none of \(count) \(entity) records any more; they are kept here.",
            isSerious: true
        )
    }
}

extension FieldError {
    /// A version came without what its remote keeps of every version.
    static var noMetadata: FieldError {
        FieldError(field: "", rule: "metadata", message: "The record came without its version metadata.")
    }
}
