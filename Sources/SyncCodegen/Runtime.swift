/// Everything that generated code knows of the runtime: the names of `SyncCore` and Foundation in the templates.
///
/// Compiling generated code shows that the names exist. A test shows that no entity can shadow one.
enum Runtime {
    static let module = "SyncCore"

    // Protocols that generated types adopt.
    static let entity = "SyncEntity"
    static let nestedObject = "NestedObject"
    static let openEnum = "OpenEnum"
    static let typedKey = "TypedKey"
    static let adapter = "EntityAdapter"

    // Types of fields.
    static let uuid = "UUID"
    static let date = "Date"
    static let calendarDate = "CalendarDate"
    static let decimal = "Decimal"
    static let data = "Data"
    static let url = "URL"
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

    // Names that generated code adds to those of the entities.
    static let key = "ID"
    static let registry = "SyncRegistry"
    static let dtoSuffix = "DTO"
    static let adapterSuffix = "Adapter"

    /// All type names above. An entity or nested type of the same name would shadow it.
    static let typeNames = [
        module, entity, nestedObject, openEnum, typedKey, adapter, uuid, date, calendarDate, decimal, data,
        url,
        unknownFields,
        rowReader, rowBinder, fieldReader, fieldWriter, recordKey, defaultValue, entityDescriptor,
        fieldDescriptor, referenceDescriptor, transferObject, fieldCodec, modelType, registry,
        field, fieldList,
    ]
}
