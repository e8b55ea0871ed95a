public import SyncCore

/// An OpenAPI 3.1 document as a contract that exchanges are held to.
public struct OpenAPIContract: Sendable {
    private let document: JSONTree
    private let schemas: SchemaCheck

    /// Reads a document. Throws where it is not JSON, or a pattern cannot be read.
    public init(_ bytes: [UInt8]) throws {
        document = try JSONTree(bytes)
        schemas = try SchemaCheck(document)
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

    /// Every answer that the document names.
    public var answers: [Answer] {
        (document["paths"]?.members ?? []).flatMap { path in
            path.value.members.filter { Self.methods.contains($0.name) }.flatMap { operation in
                (operation.value["responses"]?.members ?? []).map {
                    Answer(path: path.name, method: operation.name.uppercased(), status: $0.name)
                }
            }
        }
    }

    /// What is wrong with an answer, one sentence each: an undocumented operation or status, a missing field, another media
    /// type, a body that does not fit. Where the answer is a success, the request's body must fit, too.
    public func findings(
        method: String,
        path: String,
        requestBody: [UInt8],
        answer: HTTPResponse
    ) -> [String] {
        let place = "\(method) \(path) \(answer.status)"
        guard let operation = operation(method, path) else {
            // What is not documented may be refused, and nothing else.
            return [404, 405].contains(answer.status) ? [] : ["\(place): the operation is not documented"]
        }
        let documented = operation["responses"]?["\(answer.status)"].flatMap { schemas.resolve($0) }
        guard let documented else { return ["\(place): the status is not documented"] }
        var findings = headers(documented, answer).map { "\(place): \($0)" }
        findings += body(documented, answer, place)
        if (200..<300).contains(answer.status), let content = operation["requestBody"]?["content"] {
            findings += fits(requestBody, content.members.first?.value, "\(place) request")
        }
        return findings
    }

    private static let methods = ["get", "put", "post", "delete", "options", "head", "patch", "trace"]

    private func operation(_ method: String, _ path: String) -> JSONTree? {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        let found = document["paths"]?.members.first { template in
            let names = template.name.split(separator: "/", omittingEmptySubsequences: false)
            return names.count == parts.count
                && zip(names, parts).allSatisfy { $0 == $1 || ($0.hasPrefix("{") && !$1.isEmpty) }
        }
        return found?.value[method.lowercased()]
    }

    private func headers(_ documented: JSONTree, _ answer: HTTPResponse) -> [String] {
        (documented["headers"]?.members ?? []).flatMap { header -> [String] in
            guard let rule = schemas.resolve(header.value) else { return ["a reference leads nowhere"] }
            guard let value = answer.header(header.name) else {
                return rule["required"] == .boolean(true) ? ["the field \(header.name) is missing"] : []
            }
            guard let schema = rule["schema"] else { return [] }
            let tree: JSONTree = Int64(value) == nil ? .string(value) : .number(value)
            return schemas.findings(tree, schema, at: header.name)
        }
    }

    private func body(_ documented: JSONTree, _ answer: HTTPResponse, _ place: String) -> [String] {
        let content = documented["content"]?.members ?? []
        if content.isEmpty { return answer.body.isEmpty ? [] : ["\(place): there must be no body"] }
        let type = answer.header("Content-Type")?.split(separator: ";").first.map(String.init) ?? ""
        guard let media = content.first(where: { $0.name == type }) else {
            return ["\(place): the media type '\(type)' is not documented"]
        }
        if type.hasPrefix("text/") { return [] }
        return fits(answer.body, media.value, place)
    }

    private func fits(_ body: [UInt8], _ media: JSONTree?, _ place: String) -> [String] {
        guard let schema = media?["schema"] else { return ["\(place): no schema"] }
        guard let tree = try? JSONTree(body) else { return ["\(place): the body is not JSON"] }
        return schemas.findings(tree, schema, at: place)
    }
}
