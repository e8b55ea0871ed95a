/// Converts between rows and an app's type for one entity: the port between the runtime and a model.
///
/// Generated code has one per entity; `SyncDynamic` makes one from a schema at run time. Both pass one conformance suite.
public protocol EntityAdapter<Model>: Sendable {
    /// The app's type, for example `Bookmark`.
    associatedtype Model: Sendable
    /// The entity.
    var descriptor: EntityDescriptor { get }
    /// Makes a model from a row. Throws `FieldError` if the row does not fit.
    func read(_ row: any RowReader) throws -> Model
    /// Puts a model's values into a row.
    func bind(_ model: Model, to row: any RowBinder) throws
}

extension EntityAdapter {
    /// The model's values.
    public func record(_ model: Model) throws -> Record {
        let builder = RecordBuilder(descriptor)
        try bind(model, to: builder)
        return builder.record
    }

    /// The model of a record. `store` is the one that it was read from; a model of another record has seen nothing.
    public func model(_ record: Record, store: StoreID = .none) throws -> Model {
        try read(RecordRow(record, store: store))
    }
}
