import SyncCore

/// Records that the remote would refuse for their size are told to who writes them, not first by a sync.
extension Consequences {
    /// Records with less text than this are not measured: no remote refuses them.
    private static var smallBytes: Int { 4 << 10 }

    /// Throws for a record that is larger than the remote of the last sync takes, if that limit is known.
    func checkSize(of record: Record, entity: EntityDescriptor) throws {
        guard record.textBytes > Self.smallBytes,
            let limit = try transaction.value(name: StoreValue.recordBytes).flatMap({ Int($0) })
        else { return }
        let bytes = RecordEncoder(descriptor: entity, form: .wire).bytes(record).count
        guard bytes > limit else { return }
        throw SyncError(
            kind: .invalidInput,
            message:
                "The \(entity.name) record has \(bytes) bytes, and the remote takes at most \(limit); it was not written.",
            help: "Shorten it, or keep large values in files and their names in the record."
        )
    }
}

extension SyncRun {
    /// Notes how large a record may be for the remote.
    func note(recordLimit: Int?) throws {
        let text = recordLimit.map(String.init)
        guard try store.read({ try $0.value(name: StoreValue.recordBytes) }) != text else { return }
        try store.write(.noted) { try $0.setValue(StoreValue.recordBytes, value: text) }
    }
}

extension StoreValue {
    /// The most bytes of a record that the remote takes.
    static let recordBytes = "record-bytes"
}

extension Record {
    /// The bytes of its longer values, unescaped.
    fileprivate var textBytes: Int {
        let sizes = values.map { value in
            switch value {
            case .text(let text), .json(let text): text.utf8.count
            case .bytes(let bytes): bytes.count
            default: 0
            }
        }
        return sizes.reduce(0, +) + unknown.reduce(0) { $0 + $1.json.utf8.count }
    }
}
