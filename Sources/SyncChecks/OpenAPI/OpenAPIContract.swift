public import SyncCore

/// Checks HTTP exchanges against an OpenAPI 3.1 document. The document is parsed once, so each check costs
/// only as much as the bodies.
public struct OpenAPIContract: Sendable {
    /// Every documented answer.
    public let answers: [Answer]
    private let paths: [OpenAPIPath]
    private let schemas: SchemaCheck

    /// Parses a document. Throws if it is not JSON, or has an invalid pattern.
    public init(_ bytes: [UInt8]) throws {
        let document = try JSONTree(bytes)
        var reader = try SchemaReader(document)
        paths = (document["paths"]?.members ?? []).map {
            OpenAPIPath(template: $0.name, tree: $0.value, reader: &reader)
        }
        schemas = SchemaCheck(reader)
        answers = paths.flatMap { path in
            path.operations.flatMap { operation in
                operation.answers.map {
                    Answer(path: path.template, method: operation.method, status: $0.status)
                }
            }
        }
    }

    /// One documented answer.
    public struct Answer: Sendable, Hashable {
        /// The path, with parameters in braces.
        public var path: String
        /// The method, in capitals.
        public var method: String
        /// The status code as text.
        public var status: String
    }

    /// The differences between an exchange and the document, one sentence each: an undocumented operation or
    /// status, a missing field, another media type, an invalid body. After a successful answer the request's
    /// body must be valid, too.
    public func findings(
        method: String,
        path: String,
        requestBody: [UInt8],
        answer: HTTPResponse
    ) -> [String] {
        let place = "\(method) \(path) \(answer.status)"
        let operation = paths.first { $0.matches(path) }?.operations.first {
            $0.method == method.uppercased()
        }
        guard let operation else {
            // An undocumented operation may only be refused.
            return [404, 405].contains(answer.status) ? [] : ["\(place): the operation is not documented"]
        }
        let documented = operation.answers.first { $0.status == "\(answer.status)" }
        guard let documented, documented.isSound else { return ["\(place): the status is not documented"] }
        var findings = headers(documented: documented, answer: answer).map { "\(place): \($0)" }
        findings += body(documented: documented, answer: answer, place: place)
        if (200..<300).contains(answer.status), let media = operation.request {
            findings += fits(body: requestBody, media: media, place: "\(place) request")
        }
        return findings
    }

    private func headers(documented: OpenAPIAnswer, answer: HTTPResponse) -> [String] {
        documented.headers.flatMap { header -> [String] in
            guard header.isSound else { return ["a reference leads nowhere"] }
            guard let value = answer.header(header.name) else {
                return header.isRequired ? ["the field \(header.name) is missing"] : []
            }
            guard let schema = header.schema else { return [] }
            let tree: JSONTree = Int64(value) == nil ? .string(value) : .number(value)
            return schemas.findings(value: tree, schema: schema, at: header.name)
        }
    }

    private func body(documented: OpenAPIAnswer, answer: HTTPResponse, place: String) -> [String] {
        if documented.content.isEmpty {
            return answer.body.isEmpty ? [] : ["\(place): there must be no body"]
        }
        let type = answer.header("Content-Type")?.split(separator: ";").first.map(String.init) ?? ""
        guard let media = documented.content.first(where: { $0.type == type }) else {
            return ["\(place): the media type '\(type)' is not documented"]
        }
        if type.hasPrefix("text/") { return [] }
        return fits(body: answer.body, media: media, place: place)
    }

    private func fits(body: [UInt8], media: OpenAPIMedia, place: String) -> [String] {
        guard let schema = media.schema else { return ["\(place): no schema"] }
        guard let tree = try? JSONTree(body) else { return ["\(place): the body is not JSON"] }
        return schemas.findings(value: tree, schema: schema, at: place)
    }
}
