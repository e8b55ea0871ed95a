#if Server
    import Foundation
    import SyncCore
    import SyncServer
    import SyncWire

    /// One call of `entitysync_exchange`: what is sent to the database, and what comes back.
    struct PostgresExchange {
        let body: [UInt8]
        let log: LogName
        let account: Account

        /// The statements of the transaction: make the scratch log if it is one, become the account, exchange, and read
        /// what the function set for the HTTP answer.
        var statements: [PostgresStatement] {
            let space = PostgresSpace(account: account, log: log)
            var statements = [
                Self.becoming(space: space, entities: account.entities),
                PostgresStatement("select public.entitysync_exchange($1)", .json(body)),
                PostgresStatement(
                    """
                    select current_setting('response.status', true), current_setting('response.headers', true),
                      current_setting('entitysync.outcome', true)
                    """
                ),
            ]
            if !log.isMain {
                let open = PostgresStatement(
                    "select entitysync.open_scratch($1::uuid, $2::uuid)",
                    .text(space.id),
                    .text(PostgresSpace(accountID: account.id).id)
                )
                statements.insert(open, at: 0)
            }
            return statements
        }

        /// Makes the rest of the transaction the account's, with all entities or some, under the policies of a role.
        static func becoming(
            space: PostgresSpace,
            entities: Set<String>?,
            role: String = "authenticated"
        ) -> PostgresStatement {
            PostgresStatement(
                "select set_config('request.jwt.claims', $1, true), set_config('role', $2, true)",
                .text(claims(space: space, entities: entities)),
                .text(role)
            )
        }

        /// The claims that PostgREST would have taken from a JWT.
        private static func claims(space: PostgresSpace, entities: Set<String>?) -> String {
            var writer = JSONWriter()
            writer.beginObject()
            writer.name("sub")
            writer.string(space.id)
            writer.name("role")
            writer.string("authenticated")
            if let entities {
                writer.name("entitysync_entities")
                writer.beginArray()
                for entity in entities.sorted() { writer.string(entity) }
                writer.endArray()
            }
            writer.endObject()
            return writer.text
        }

        /// What the function answered.
        struct Result: Sendable {
            private let body: [UInt8]
            private let status: Int
            private let headers: [HTTPHeader]
            /// What happened to the changes.
            let counts: PushCounts

            init(results: [PostgresResult]) throws {
                guard results.count >= 2 else { throw PostgresError(kind: .lost) }
                let (answer, settings) = (results[results.count - 2], results[results.count - 1])
                body = answer.bytes(column: 0) ?? []
                status = settings.text(column: 0).flatMap { Int($0) } ?? 200
                headers = Self.headers(json: settings.bytes(column: 1) ?? [])
                let outcome = settings.text(column: 2)?.split(separator: " ").compactMap { Int($0) } ?? []
                var counts = PushCounts()
                if outcome.count == 3 {
                    (counts.accepted, counts.conflicts, counts.refused) = (outcome[0], outcome[1], outcome[2])
                }
                self.counts = counts
            }

            /// The HTTP answer. Throws `WireError` if the function answered with an error.
            func response() throws -> HTTPResponse {
                if status >= 400 {
                    var error =
                        WireError(body: body)
                        ?? WireError(code: .internalError, detail: "The database made a mistake.")
                    let pause = headers.first { $0.name.lowercased() == "retry-after" }
                    error.retryAfterSeconds = pause.flatMap { Int($0.value) } ?? error.retryAfterSeconds
                    throw error
                }
                let type = HTTPHeader(name: "Content-Type", value: WireProtocol.mediaType)
                let hasType = headers.contains { $0.name.lowercased() == "content-type" }
                return HTTPResponse(status: status, headers: (hasType ? [] : [type]) + headers, body: body)
            }

            /// Header fields as PostgREST takes them: `[{"Name": "value"}, ...]`.
            private static func headers(json: [UInt8]) -> [HTTPHeader] {
                let fields = try? JSONDecoder().decode([[String: String]].self, from: Data(json))
                return (fields ?? []).flatMap { $0.map { HTTPHeader(name: $0.key, value: $0.value) } }
            }
        }
    }
#endif
