import SyncCore

/// The descriptors of an app's types. Throws `SyncError` if one refers to an entity that is not among them.
func checkedDescriptors(types: [any SyncEntity.Type]) throws -> [EntityDescriptor] {
    let entities = types.map { $0.adapter.descriptor }
    let names = Set(entities.map(\.name))
    for entity in entities {
        for reference in entity.references where !names.contains(reference.entity) {
            throw SyncError.missingParent(of: entity.name, field: reference.field, parent: reference.entity)
        }
    }
    return entities
}

extension SyncError {
    /// An entity is opened without another one that it refers to.
    static func missingParent(of entity: String, field: String, parent: String) -> SyncError {
        SyncError(
            kind: .usage,
            message:
                "The entity '\(parent)' is missing: \(entity) records refer to it with '\(field)'.",
            help: "Add its type to 'entities', or give all types of the schemas: 'SyncRegistry.types'."
        )
    }
}
