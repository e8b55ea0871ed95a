/// Values that stayed on a device until its app was updated to a schema that shares their fields.
///
/// A store notes the fields when it is opened with such a schema. The next sync makes an edit of each value.
package enum LocalValues {
    /// The named value that holds a JSON array of the fields' names.
    package static func name(of entity: EntityDescriptor) -> String { "shared:\(entity.name)" }
}
