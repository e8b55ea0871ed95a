package import SyncCore

/// Checks a whole record against its schema.
package enum RecordCheck {
    /// Whether the record meets all constraints.
    package static func fits(record: Record, descriptor: EntityDescriptor) -> Bool {
        fieldError(record: record, descriptor: descriptor) == nil
    }

    /// The first constraint that the record violates, or nil.
    package static func fieldError(record: Record, descriptor: EntityDescriptor) -> FieldError? {
        do {
            var decoder = RecordDecoder(descriptor: descriptor, form: .plain)
            _ = try decoder.record(
                RecordEncoder(descriptor: descriptor, form: .plain).bytes(record)
            )
            return nil
        } catch let error as FieldError {
            return error
        } catch {
            return FieldError(
                field: "",
                rule: "malformed",
                message: "The record cannot be written as JSON."
            )
        }
    }
}
