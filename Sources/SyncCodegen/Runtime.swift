/// What generated code knows of the runtime: every name of `SyncCore` and Foundation that a template writes.
///
/// That the names are true is shown by compiling generated code; that no entity can hide one, by a test.
enum Runtime {
    static let module = "SyncCore"

    // Protocols that generated types adopt.
    static let entity = "SyncEntity"
    static let nestedObject = "NestedObject"
    static let openEnum = "OpenEnum"
    static let adapter = "EntityAdapter"

    // Types of fields.
    static let uuid = "UUID"
    static let date = "Date"
    static let calendarDate = "CalendarDate"
    static let decimal = "Decimal"
    static let data = "Data"
    static let unknownFields = "UnknownFields"

    // Rows.
    static let rowReader = "RowReader"
    static let rowBinder = "RowBinder"
    static let fieldReader = "FieldReader"
    static let fieldWriter = "FieldWriter"
    static let recordKey = "RecordKey"
    static let defaultValue = "DefaultValue"

    // Descriptors.
    static let entityDescriptor = "EntityDescriptor"
    static let fieldDescriptor = "FieldDescriptor"
    static let referenceDescriptor = "ReferenceDescriptor"

    // Queries.
    static let field = "Field"
    static let fieldList = "Fields"

    // The wire.
    static let transferObject = "TransferObject"
    static let fieldCodec = "FieldCodec"
    static let modelType = "ModelType"

    // What generated code adds beside the entities.
    static let registry = "SyncRegistry"
    static let dtoSuffix = "DTO"
    static let adapterSuffix = "Adapter"

    /// Every name above that is a type: an entity or nested type of that name would hide it.
    static let typeNames = [
        module, entity, nestedObject, openEnum, adapter, uuid, date, calendarDate, decimal, data,
        unknownFields,
        rowReader, rowBinder, fieldReader, fieldWriter, recordKey, defaultValue, entityDescriptor,
        fieldDescriptor, referenceDescriptor, transferObject, fieldCodec, modelType, registry,
        field, fieldList,
    ]
}
