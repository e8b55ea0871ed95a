/// A field that holds the key of a record: of another entity, or of the same one.
public struct ReferenceDescriptor: Sendable, Hashable {
    /// The field of this entity. It holds a key, a list of keys, or the part of a key that tells records apart.
    public var field: String
    /// The entity that the field points to.
    public var entity: String
    /// What a parent's delete does to this record.
    public var onDelete: DeleteRule
    /// The fields that together hold the key, in the order of the parent's key fields. Only `field`, unless the parent's
    /// key has several fields.
    public var fields: [String]
    /// Whether records may refer to each other in a circle by this reference. Otherwise a single reference to the own
    /// entity makes a tree.
    public var isCyclic: Bool

    /// Describes a reference. `fields` names all parts of a key of several fields.
    public init(
        field: String,
        entity: String,
        onDelete: DeleteRule,
        fields: [String]? = nil,
        isCyclic: Bool = false
    ) {
        self.field = field
        self.entity = entity
        self.onDelete = onDelete
        self.fields = fields ?? [field]
        self.isCyclic = isCyclic
    }
}

/// What a parent's delete does to its children.
public enum DeleteRule: String, Sendable, Hashable, CaseIterable {
    /// The child is deleted, too.
    case cascade
    /// The reference is cleared, or the key is taken out of the list.
    case nullify
    /// The parent cannot be deleted while there is a child.
    case restrict
    /// The child keeps the key of the deleted parent.
    case keep

    /// Whether a live child cannot do without its parent.
    package var needsParent: Bool { self == .cascade || self == .restrict }

    /// Whether a delete of the parent edits the child.
    package var changesChild: Bool { self == .cascade || self == .nullify }
}
