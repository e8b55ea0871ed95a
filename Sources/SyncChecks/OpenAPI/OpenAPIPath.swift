/// A documented path with its operations.
struct OpenAPIPath: Sendable {
    /// The path, with parameters in braces.
    var template: String
    var operations: [OpenAPIOperation]
    private let parts: [String]

    init(template: String, tree: JSONTree, reader: inout SchemaReader) {
        self.template = template
        parts = template.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        operations = tree.members.filter { Self.methods.contains($0.name) }
            .map { OpenAPIOperation(method: $0.name.uppercased(), tree: $0.value, reader: &reader) }
    }

    /// Whether a request's path matches the template.
    func matches(_ path: String) -> Bool {
        let named = path.split(separator: "/", omittingEmptySubsequences: false)
        return named.count == parts.count
            && zip(parts, named).allSatisfy { $0 == $1 || ($0.hasPrefix("{") && !$1.isEmpty) }
    }

    private static let methods = ["get", "put", "post", "delete", "options", "head", "patch", "trace"]
}

/// A method of a path.
struct OpenAPIOperation: Sendable {
    /// The method, in capitals.
    var method: String
    /// The request body; nil if there is none.
    var request: OpenAPIMedia?
    var answers: [OpenAPIAnswer]

    init(method: String, tree: JSONTree, reader: inout SchemaReader) {
        self.method = method
        request = (tree["requestBody"]?["content"]).map {
            OpenAPIMedia(type: $0.members.first?.name ?? "", tree: $0.members.first?.value, reader: &reader)
        }
        answers = (tree["responses"]?.members ?? []).map {
            OpenAPIAnswer(status: $0.name, tree: $0.value, reader: &reader)
        }
    }
}

/// A documented answer of an operation.
struct OpenAPIAnswer: Sendable {
    /// A header field of an answer.
    struct Header: Sendable {
        var name: String
        var isRequired: Bool
        /// The schema of the value; nil if any is valid.
        var schema: SchemaRule.Index?
        /// False for a reference to nothing.
        var isSound: Bool
    }

    /// The status code as text.
    var status: String
    var headers: [Header]
    /// The media types; empty if there must be no body.
    var content: [OpenAPIMedia]
    /// False for a reference to nothing.
    var isSound: Bool

    init(status: String, tree: JSONTree, reader: inout SchemaReader) {
        self.status = status
        let answer = reader.resolve(tree)
        isSound = answer != nil
        headers = (answer?["headers"]?.members ?? []).map { header in
            let rule = reader.resolve(header.value)
            return Header(
                name: header.name,
                isRequired: rule?["required"] == .boolean(true),
                schema: (rule?["schema"]).map { reader.read(schema: $0) },
                isSound: rule != nil
            )
        }
        content = (answer?["content"]?.members ?? []).map {
            OpenAPIMedia(type: $0.name, tree: $0.value, reader: &reader)
        }
    }
}

/// A body of one media type.
struct OpenAPIMedia: Sendable {
    var type: String
    /// The schema of the body; nil if there is none.
    var schema: SchemaRule.Index?

    init(type: String, tree: JSONTree?, reader: inout SchemaReader) {
        self.type = type
        schema = (tree?["schema"]).map { reader.read(schema: $0) }
    }
}
