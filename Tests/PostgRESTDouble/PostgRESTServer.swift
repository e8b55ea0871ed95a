#if Server
    import Foundation
    import SyncChecks
    package import SyncCore

    /// A stand-in for PostgREST behind Supabase's gateway, as far as calls of functions go: `POST /rpc/NAME`, and the
    /// same below `/rest/v1`. It is a transport, so clients need no network.
    ///
    /// Each request is one transaction as the role that its token names. Written from PostgREST's documentation:
    /// «Authentication», «Transactions», «Functions as RPC» and «Errors».
    package final class PostgRESTServer: HTTPTransport {
        /// The URL of every stand-in.
        package static let url = "http://127.0.0.1:1"
        /// The gateway's key.
        package static let publishableKey = "sb_publishable_test"
        /// Signs tokens.
        package static let secret = "a secret for tests that is longer than 32 bytes"

        private let databaseURL: String
        private let settings: Settings
        private let state = Guarded(State())

        /// How the stand-in differs from a Supabase project of today.
        package struct Settings: Sendable {
            /// Whether it answers as PostgREST 12 and older do.
            package var isBefore13 = false
            /// Whether it answers below `/rest/v1`, behind a gateway that asks for a key.
            package var hasGateway = true
            /// The database ends a statement after this time.
            package var statementMilliseconds = 8000

            package init() {}
        }

        private struct State {
            var requests: [HTTPRequest] = []
            var idle: [SQLConnection] = []
            var fault: (@Sendable (_ number: Int, _ request: HTTPRequest) -> Fault?)?
        }

        /// What the network does to a request.
        package enum Fault: Sendable {
            /// The answer is lost.
            case loseAnswer
            /// Another answer, as from a gateway.
            case answer(HTTPResponse)
        }

        /// - Parameter databaseURL: The database, as the role `authenticator`.
        package init(databaseURL: String, settings: Settings = Settings()) {
            (self.databaseURL, self.settings) = (databaseURL, settings)
        }

        /// All requests so far.
        package var requests: [HTTPRequest] { state.use { $0.requests } }

        /// Chooses the fault of each further request; nil for none.
        package func setFault(
            _ fault: (@Sendable (_ number: Int, _ request: HTTPRequest) -> Fault?)?
        ) { state.use { $0.fault = fault } }

        package func send(_ request: HTTPRequest) async throws -> HTTPResponse {
            let fault = state.use { state in
                state.requests.append(request)
                return state.fault?(state.requests.count, request)
            }
            switch fault {
            case nil: return await answer(request)
            case .answer(let response)?: return response
            case .loseAnswer?:
                _ = await answer(request)
                throw TransportError.interrupted
            }
        }

        package func stream(_ request: HTTPRequest) async throws -> HTTPStream {
            throw TransportError.unreachable
        }

        /// The answer to a request, with the fields that every answer has.
        private func answer(_ request: HTTPRequest) async -> HTTPResponse {
            do {
                return try await answerOrFail(request)
            } catch let failure as PostgRESTFailure {
                return failure.response
            } catch {
                let message = "Database connection error. Retrying the connection."
                return PostgRESTFailure(status: 503, code: "PGRST001", message: message).response
            }
        }

        private func answerOrFail(_ request: HTTPRequest) async throws -> HTTPResponse {
            var path = String(request.url.dropFirst(Self.url.count))
            if settings.hasGateway {
                guard path.hasPrefix("/rest/v1/") else { return HTTPResponse(status: 404) }
                path = String(path.dropFirst("/rest/v1".count))
                let key = Self.field("apikey", of: request)
                guard key == Self.publishableKey else { return PostgRESTFailure.gateway(hasKey: key != nil) }
            }
            guard path.hasPrefix("/rpc/"), !path.dropFirst(5).isEmpty else {
                let message =
                    "Could not find the table 'public\(path.replacing("/", with: "."))' in the schema cache"
                throw PostgRESTFailure(status: 404, code: "PGRST205", message: message)
            }
            guard request.method == "POST" else {
                throw PostgRESTFailure(
                    status: 405,
                    code: "PGRST101",
                    message: "Cannot use the \(request.method) method on RPC"
                )
            }
            let call = PostgRESTCall(
                function: String(path.dropFirst("/rpc/".count)),
                claims: try claims(of: request),
                request: request,
                statementMilliseconds: settings.statementMilliseconds
            )
            let connection = try await connection()
            defer { if connection.isOpen { state.use { $0.idle.append(connection) } } }
            return try await call.answer(on: connection)
        }

        /// The claims of the token; nil without a token.
        private func claims(of request: HTTPRequest) throws -> JSONTree? {
            guard let field = Self.field("Authorization", of: request), field.hasPrefix("Bearer ") else {
                return nil
            }
            do {
                return try JSONWebToken.verify(
                    String(field.dropFirst("Bearer ".count)),
                    secret: Self.secret,
                    now: Date()
                )
            } catch let refusal as JSONWebToken.Refusal {
                throw PostgRESTFailure.token(refusal, isBefore13: settings.isBefore13)
            }
        }

        /// An idle connection, or a new one. Connections that ended meanwhile are dropped.
        private func connection() async throws -> SQLConnection {
            while let kept = state.use({ $0.idle.popLast() }) {
                if (try? await kept.run("select 1")) != nil { return kept }
            }
            return try await SQLConnection.open(databaseURL)
        }

        static func field(_ name: String, of request: HTTPRequest) -> String? {
            request.headers.first { $0.name.lowercased() == name.lowercased() }?.value
        }
    }
#endif
