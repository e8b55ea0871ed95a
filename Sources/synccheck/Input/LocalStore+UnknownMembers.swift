import EntitySync
import SyncCore

extension LocalStore {
    /// Throws for a member that neither the schema nor a side of the record knows. What is no record of the entity is
    /// left to the write. The record is that of `key`, or of the key in the JSON.
    func refuseUnknown(json: [UInt8], of entity: EntityDescriptor, key: RecordKey? = nil) throws {
        // A schema that allows no other members is enforced by the write.
        guard !entity.forbidsUnknownFields else { return }
        var decoder = RecordDecoder(descriptor: entity, form: .plain)
        decoder.requiresAll = false
        guard let given = try? decoder.record(json) else { return }
        var members = given.unknown.map(\.path).filter { $0 != RecordLine.versionMember }
        guard !members.isEmpty else { return }
        let known = try (key ?? entity.key(of: given)).map { key in
            try read { snapshot in
                let sides = [
                    try snapshot.load(entity: entity, key: key)?.version,
                    try snapshot.side(entity: entity, key: key, kind: .remote),
                ]
                return sides.flatMap { $0?.record.unknown.map(\.path) ?? [] }
            }
        }
        members.removeAll { known?.contains($0) == true }
        guard let member = members.first else { return }
        let names = entity.fields.map(\.name) + (known ?? [])
        throw SyncError.unknownMember(
            member,
            entity: entity.name,
            nearest: DidYouMean.nearest(to: member, among: names)
        )
    }
}
