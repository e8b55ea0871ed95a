/// The OpenAPI 3.1 document that describes protocol v1.
public enum OpenAPIDocument {
    /// The document as JSON, as `/v1/openapi.json` serves it.
    public static var bytes: [UInt8] { PackageResources.openapi_json }
}
