public import SyncCore

/// Conditions on the records that a field refers to.
extension Field {
    /// Whether the field refers to a record that is not deleted, and a condition holds for that record.
    public func refers<Target: SyncEntity>(to condition: FieldCondition<Target>) -> FieldCondition<Entity>
    where Value == Target.EntityKey { FieldCondition(field: schemaName, target: condition) }

    /// Whether the field refers to a record that is not deleted, and a condition holds for that record.
    public func refers<Target: SyncEntity>(to condition: FieldCondition<Target>) -> FieldCondition<Entity>
    where Value == Target.EntityKey? { FieldCondition(field: schemaName, target: condition) }

    /// Whether the list names a record that is not deleted, and a condition holds for that record.
    public func refers<Target: SyncEntity>(to condition: FieldCondition<Target>) -> FieldCondition<Entity>
    where Value == [Target.EntityKey] { FieldCondition(field: schemaName, target: condition) }

    /// Whether the list names a record that is not deleted, and a condition holds for that record.
    public func refers<Target: SyncEntity>(to condition: FieldCondition<Target>) -> FieldCondition<Entity>
    where Value == [Target.EntityKey]? { FieldCondition(field: schemaName, target: condition) }

    /// Whether the reference by several fields that this field names leads to a record that is not deleted, and a
    /// condition holds for that record. The query throws `SyncError` if the field names no such reference.
    public func refersByAllFields<Target: SyncEntity>(
        to condition: FieldCondition<Target>
    ) -> FieldCondition<Entity> { FieldCondition(field: schemaName, target: condition) }
}

/// Conditions on the records that refer to a record.
extension Field {
    /// Whether a record that is not deleted refers to this one by the field, and a condition holds for that record:
    /// `Save.Fields.folderId.isReference(where: Save.Fields.title == "x")` is a condition on folders.
    public func isReference<Target: SyncEntity>(
        to target: Target.Type = Target.self,
        where condition: FieldCondition<Entity>? = nil
    ) -> FieldCondition<Target> where Value == Target.EntityKey {
        FieldCondition<Target>(child: schemaName, condition: condition)
    }

    /// Whether a record that is not deleted refers to this one by the field, and a condition holds for that record.
    public func isReference<Target: SyncEntity>(
        to target: Target.Type = Target.self,
        where condition: FieldCondition<Entity>? = nil
    ) -> FieldCondition<Target> where Value == Target.EntityKey? {
        FieldCondition<Target>(child: schemaName, condition: condition)
    }

    /// Whether a record that is not deleted names this one in the list, and a condition holds for that record.
    public func isReference<Target: SyncEntity>(
        to target: Target.Type = Target.self,
        where condition: FieldCondition<Entity>? = nil
    ) -> FieldCondition<Target> where Value == [Target.EntityKey] {
        FieldCondition<Target>(child: schemaName, condition: condition)
    }

    /// Whether a record that is not deleted names this one in the list, and a condition holds for that record.
    public func isReference<Target: SyncEntity>(
        to target: Target.Type = Target.self,
        where condition: FieldCondition<Entity>? = nil
    ) -> FieldCondition<Target> where Value == [Target.EntityKey]? {
        FieldCondition<Target>(child: schemaName, condition: condition)
    }

    /// Whether a record that is not deleted refers to this one by the several fields of the reference that this field
    /// names, and a condition holds for that record. The query throws `SyncError` if the field names no such reference.
    public func isReferenceByAllFields<Target: SyncEntity>(
        to target: Target.Type = Target.self,
        where condition: FieldCondition<Entity>? = nil
    ) -> FieldCondition<Target> { FieldCondition<Target>(child: schemaName, condition: condition) }
}
