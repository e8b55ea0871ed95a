#if Server
    import Foundation
    import SyncChecks
    import SyncCore

    /// An error as PostgREST answers it: a status, and `{"code":…,"details":…,"hint":…,"message":…}`.
    ///
    /// Source: «Errors» in PostgREST's documentation, versions 12 to 14.
    struct PostgRESTFailure: Error {
        var status: Int
        var code: String?
        var message: String
        var details: String?
        var hint: String?
        var headers: [HTTPHeader] = []

        /// The answer.
        var response: HTTPResponse {
            func literal(_ text: String?) -> String {
                guard let text else { return "null" }
                var writer = JSONWriter()
                writer.string(text)
                return writer.text
            }
            let members = [("code", code), ("details", details), ("hint", hint), ("message", message)]
            let body = members.map { #""\#($0.0)":\#(literal($0.1))"# }.joined(separator: ",")
            return HTTPResponse(
                status: status,
                headers: [HTTPHeader(name: "Content-Type", value: "application/json; charset=utf-8")]
                    + headers,
                body: Array("{\(body)}".utf8)
            )
        }

        /// The function is not in the schema cache.
        static func missingFunction(_ name: String) -> PostgRESTFailure {
            PostgRESTFailure(
                status: 404,
                code: "PGRST202",
                message: "Could not find the function public.\(name) in the schema cache",
                details:
                    "Searched for the function public.\(name) with a single unnamed json/jsonb parameter, "
                    + "but no matches were found in the schema cache."
            )
        }

        /// The token is refused. Version 13 has other texts than those before, and a code of its own for claims.
        static func token(_ refusal: JSONWebToken.Refusal, isBefore13: Bool) -> PostgRESTFailure {
            let (isAboutClaims, message) =
                switch refusal {
                case .expired: (true, "JWT expired")
                case .early: (true, isBefore13 ? "JWTNotYetValid" : "JWT not yet valid")
                case .invalid:
                    (
                        false,
                        isBefore13 ? "JWSError JWSInvalidSignature" : "JWT cryptographic operation failed"
                    )
                case .malformed(let parts):
                    (
                        false,
                        isBefore13
                            ? "JWSError (CompactDecodeError Invalid number of parts: Expected 3 parts; got \(parts))"
                            : "Expected 3 parts in JWT; got \(parts)"
                    )
                }
            return PostgRESTFailure(
                status: 401,
                code: isAboutClaims && !isBefore13 ? "PGRST303" : "PGRST301",
                message: message,
                headers: [
                    HTTPHeader(
                        name: "WWW-Authenticate",
                        value: #"Bearer error="invalid_token", error_description="\#(message)""#
                    )
                ]
            )
        }

        /// What Supabase's gateway answers in front of PostgREST, without a code.
        static func gateway(hasKey: Bool) -> HTTPResponse {
            let body =
                hasKey
                ? #"{"message":"Invalid API key","hint":"Double check your Supabase `anon` or `service_role` API key."}"#
                : #"{"message":"No API key found in request","hint":"No `apikey` request header or url param was found."}"#
            return HTTPResponse(
                status: 401,
                headers: [HTTPHeader(name: "Content-Type", value: "application/json; charset=utf-8")],
                body: Array(body.utf8)
            )
        }
    }

    extension PostgRESTFailure {
        /// The error of a statement. `hasRole` says whether the token named a role.
        init(_ error: SQLError, hasRole: Bool) {
            if error.sqlstate == "PGRST" {
                self = Self.raised(error)
                return
            }
            self.init(
                status: Self.status(of: error.sqlstate, hasRole: hasRole),
                code: error.sqlstate,
                message: error.message,
                details: error.detail,
                hint: error.hint
            )
            if status == 401 { headers = [HTTPHeader(name: "WWW-Authenticate", value: "Bearer")] }
        }

        /// What a function raised for the client: JSON in the message and in the detail.
        private static func raised(_ error: SQLError) -> PostgRESTFailure {
            guard let message = try? JSONTree(Array(error.message.utf8)),
                let detail = try? JSONTree(Array((error.detail ?? "").utf8)),
                let code = message["code"]?.text, let text = message["message"]?.text,
                let status = detail["status"]?.integer, detail["headers"] != nil
            else {
                return PostgRESTFailure(
                    status: 500,
                    code: "PGRST121",
                    message: "Could not parse JSON in the \"RAISE SQLSTATE 'PGRST'\" error"
                )
            }
            return PostgRESTFailure(
                status: Int(status),
                code: code,
                message: text,
                details: message["details"]?.text,
                hint: message["hint"]?.text
            )
        }

        /// The status for one of PostgreSQL's codes.
        static func status(of sqlstate: String, hasRole: Bool) -> Int {
            switch sqlstate {
            case "23503", "23505": return 409
            case "25006": return 405
            case "53400": return 500
            case "P0001": return 400
            case "42883", "42P01": return 404
            case "42P17": return 500
            case "42501": return hasRole ? 403 : 401
            default: break
            }
            switch sqlstate.prefix(2) {
            case "08", "53": return 503
            case "09", "25", "2D", "38", "39", "3B", "40", "54", "55", "57", "58", "F0", "HV", "P0", "XX":
                return 500
            case "0L", "0P", "28": return 403
            default: return 400
            }
        }
    }
#endif
