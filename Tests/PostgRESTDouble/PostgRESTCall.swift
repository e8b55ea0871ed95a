#if Server
    import Foundation
    import SyncChecks
    import SyncCore

    /// One call of a function in one transaction.
    struct PostgRESTCall {
        var function: String
        /// The token's claims; nil without a token.
        var claims: JSONTree?
        var request: HTTPRequest
        var statementMilliseconds: Int

        private var hasRole: Bool { claims?["role"]?.text != nil }

        /// Calls the function. Throws `PostgRESTFailure`, and `SQLError` if there is no connection.
        func answer(on connection: SQLConnection) async throws -> HTTPResponse {
            let argument = try await argumentType(on: connection)
            do {
                try await begin(on: connection)
                let row = try await connection.run(
                    """
                    with source as (select public.\(Self.quoted(function))($1::\(argument)) as value)
                    select value::text, nullif(current_setting('response.status', true), ''),
                      nullif(current_setting('response.headers', true), '')
                    from source
                    """,
                    String(decoding: request.body, as: UTF8.self)
                )
                let response = try response(row: row.first ?? [])
                try await connection.run("commit")
                return response
            } catch {
                if connection.isOpen { _ = try? await connection.run("rollback") }
                guard let error = error as? SQLError, !error.sqlstate.hasPrefix("08") else { throw error }
                throw PostgRESTFailure(error, hasRole: hasRole)
            }
        }

        /// The type of the function's only, unnamed parameter. Throws if there is no such function in `public`.
        private func argumentType(on connection: SQLConnection) async throws -> String {
            let found = try await connection.value(
                """
                select p.proargtypes[0]::regtype from pg_proc as p
                where p.pronamespace = 'public'::regnamespace and p.proname = $1 and p.pronargs = 1
                  and p.proargnames is null and p.proargtypes[0] in ('json'::regtype, 'jsonb'::regtype)
                """,
                function
            )
            guard let found else { throw PostgRESTFailure.missingFunction(function) }
            guard (try? JSONTree(request.body)) != nil else {
                throw PostgRESTFailure(status: 400, code: "PGRST102", message: "Empty or invalid json")
            }
            return found
        }

        /// Begins the transaction, with the role, the claims and the request's fields in it.
        private func begin(on connection: SQLConnection) async throws {
            let headers = request.headers.filter { $0.name.lowercased() != "authorization" }.map {
                (Self.json($0.name.lowercased()), Self.json($0.value))
            }
            try await connection.run("begin isolation level read committed read write")
            try await connection.run(
                """
                select set_config('search_path', '"public"', true), set_config('role', $1, true),
                  set_config('request.jwt.claims', $2, true), set_config('request.method', 'POST', true),
                  set_config('request.path', $3, true), set_config('request.headers', $4, true),
                  set_config('statement_timeout', $5, true)
                """,
                claims?["role"]?.text ?? "anon",
                claims.map { Self.json(tree: $0) } ?? #"{"role":"anon"}"#,
                "/rpc/\(function)",
                "{\(headers.map { "\($0.0):\($0.1)" }.joined(separator: ","))}",
                "\(statementMilliseconds)"
            )
        }

        /// The answer with the status and the fields that the function set.
        private func response(row: [String?]) throws -> HTTPResponse {
            var response = HTTPResponse(status: 200, body: Array((row[0] ?? "null").utf8))
            if let status = row[1] {
                guard let number = Int(status) else {
                    let message = "response.status setting must be a valid status code"
                    throw PostgRESTFailure(status: 500, code: "PGRST112", message: message)
                }
                response.status = number
            }
            response.headers = try Self.headers(setting: row[2])
            if response.header("Content-Type") == nil {
                let type = "application/json; charset=utf-8"
                response.headers.append(HTTPHeader(name: "Content-Type", value: type))
            }
            response.headers.append(HTTPHeader(name: "Content-Range", value: "0-0/*"))
            return response
        }

        /// The fields in `response.headers`: an array of objects with one member each.
        private static func headers(setting: String?) throws -> [HTTPHeader] {
            guard let setting else { return [] }
            let tree = try? JSONTree(Array(setting.utf8))
            guard case .array(let elements)? = tree,
                elements.allSatisfy({ $0.members.count == 1 && $0.members[0].value.text != nil })
            else {
                let message =
                    "response.headers guc must be a JSON array composed of objects with a single key and a string value"
                throw PostgRESTFailure(status: 500, code: "PGRST111", message: message)
            }
            return elements.flatMap(\.members).map { HTTPHeader(name: $0.name, value: $0.value.text ?? "") }
        }

        static func quoted(_ name: String) -> String { "\"\(name.replacing("\"", with: "\"\""))\"" }

        private static func json(_ text: String) -> String {
            var writer = JSONWriter()
            writer.string(text)
            return writer.text
        }

        private static func json(tree: JSONTree) -> String {
            switch tree {
            case .null: "null"
            case .boolean(let value): "\(value)"
            case .number(let text): text
            case .string(let text): json(text)
            case .array(let elements): "[\(elements.map { json(tree: $0) }.joined(separator: ","))]"
            case .object(let members):
                "{\(members.map { "\(json($0.name)):\(json(tree: $0.value))" }.joined(separator: ","))}"
            }
        }
    }
#endif
