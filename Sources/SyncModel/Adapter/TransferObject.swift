/// The wire shape of an entity or of an object nested in one, for example `BookmarkDTO`: a property for each field that
/// travels, text where JSON has no type of its own, and what the schema does not know.
///
/// Bytes are held to what sync holds them to, by the same codec: what `init(json:)` reads is what a pull takes, and what
/// `json()` writes is what a push sends.
///
/// ```swift
/// let bookmark = try Bookmark(BookmarkDTO(json: body))
/// let body = try BookmarkDTO(bookmark).json()
/// ```
///
/// `Codable` is for drafts: names and shape are those of the wire, constraints are not looked at. NB: it loses of unknown
/// members what `FieldGroup` says.
public protocol TransferObject: FieldGroup {
    /// The model that the object is the wire shape of.
    associatedtype ModelType: FieldGroup
}

extension TransferObject {
    /// Reads and writes the object in the form of the wire.
    public static var codec: FieldCodec { FieldCodec(wire: ModelType.fields) }

    /// The model's fields, as text where JSON has no type of its own.
    public static var fields: [FieldDescriptor] { codec.fields }

    /// Reads one JSON object: a webhook's body, a server's row, what another program wrote.
    ///
    /// Throws `FieldError` where a pull would refuse it: with the field and its rule, or with rule `json` and the byte.
    public init(json: some Collection<UInt8>) throws {
        try self.init(record: try Self.codec.record(checking: Array(json)))
    }

    /// The object as canonical JSON, byte for byte as a push sends it.
    ///
    /// Throws `FieldError` where a push would be refused, for example for a required field that is nil.
    public func json() throws -> [UInt8] {
        try Self.codec.bytes(checking: try record())
    }

    /// Takes the values of a model, those that stay on the device left out. Throws `FieldError` when one has no wire form.
    public init(_ model: ModelType) throws {
        try self.init(record: Self.codec.transferred(record: try model.record()))
    }
}

extension FieldGroup {
    /// Takes the values of a wire object. Throws `FieldError` when a text does not fit its field. Constraints are not
    /// looked at: `TransferObject.json` and every write do that.
    public init<Object: TransferObject>(_ object: Object) throws where Object.ModelType == Self {
        try self.init(record: try Object.codec.typed(record: try object.record()))
    }
}
