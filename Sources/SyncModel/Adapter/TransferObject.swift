/// The wire form of an entity or of a nested object, for example `BookmarkDTO`: a property for each field that
/// travels, text for types that JSON does not have, and unknown members.
///
/// JSON is validated as in a sync, by the same codec: `init(json:)` accepts what a pull accepts, and `json()` writes
/// what a push sends.
///
/// ```swift
/// let bookmark = try Bookmark(BookmarkDTO(json: body))
/// let body = try BookmarkDTO(bookmark).json()
/// ```
///
/// `Codable` is for drafts: names and shape are those of the wire, and constraints are not checked. For its limits
/// with unknown members see `FieldGroup`.
public protocol TransferObject: FieldGroup {
    /// The model whose wire form this is.
    associatedtype ModelType: FieldGroup
}

extension TransferObject {
    /// Reads and writes the object in the form of the wire.
    public static var codec: FieldCodec { FieldCodec(wire: ModelType.fields) }

    /// The model's fields, as text if JSON does not have their type.
    public static var fields: [FieldDescriptor] { codec.fields }

    /// Reads one JSON object: the body of a webhook, a row of a server, the output of another program.
    ///
    /// Throws `FieldError` if a pull would reject it: with the field and its rule, or with rule `json` and the byte
    /// offset.
    public init(json: some Collection<UInt8>) throws {
        try self.init(record: try Self.codec.record(checking: Array(json)))
    }

    /// The object as canonical JSON, byte for byte as a push sends it.
    ///
    /// Throws `FieldError` if a push would be rejected, for example for a required field that is nil.
    public func json() throws -> [UInt8] {
        try Self.codec.bytes(checking: try record())
    }

    /// Takes the values of a model, except local-only ones. Throws `FieldError` for a value without a wire form.
    public init(_ model: ModelType) throws {
        try self.init(record: Self.codec.transferred(record: try model.record()))
    }
}

extension FieldGroup {
    /// Takes the values of a wire object. Throws `FieldError` for a text that does not fit its field. Constraints are
    /// not checked here: `TransferObject.json` and every write check them.
    public init<Object: TransferObject>(_ object: Object) throws where Object.ModelType == Self {
        try self.init(record: try Object.codec.typed(record: try object.record()))
    }
}
