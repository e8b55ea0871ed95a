#if Server
    import Foundation
    import SyncCore
    import SyncHTTPClient
    import SyncServer

    /// Where the keys of a login come from.
    enum KeySource: Sendable {
        /// A file with the secret that the login shares with this server.
        case secretFile(path: String)
        /// A file with a JSON Web Key Set.
        case setFile(path: String)
        /// The URL of a JSON Web Key Set: `https`, or `http` on this machine.
        case setURL(String)

        /// The most bytes of a secret or of a set.
        static let maxBytes = 1 << 20
        /// The seconds in which a set must have come.
        static let timeoutSeconds = 5.0

        /// Tells a URL of a key set from a file. Throws `SyncError` `usage` for a URL that is not permitted.
        static func set(_ text: String) throws -> KeySource {
            guard text.contains("://") else { return .setFile(path: text) }
            // The query belongs to some providers' URLs. The rest of the rules are those of a server's URL.
            let address = text.prefix { $0 != "?" }
            guard text.utf8.allSatisfy({ (0x21...0x7e).contains($0) }), !text.contains("#"),
                (try? ServerURL(String(address))) != nil
            else { throw SyncError.badKeySetURL }
            return .setURL(text)
        }

        /// Loads the keys. Throws `SyncError`.
        ///
        /// - Parameter transport: Fetches a set. It follows no redirects.
        func load(transport: any HTTPTransport) async throws -> SigningKeys {
            switch self {
            case .secretFile(let path):
                return try await SigningKeys(
                    secret: Self.withoutLineBreak(try Self.read(path, what: "secret"))
                )
            case .setFile(let path):
                return try await SigningKeys(set: try Self.read(path, what: "key set"))
            case .setURL(let url):
                return try await SigningKeys(set: try await Self.fetch(url, transport: transport))
            }
        }

        private static func read(_ path: String, what: String) throws -> [UInt8] {
            guard let data = FileManager.default.contents(atPath: path) else {
                guard FilePermissions.isDenied(path: path) || FileManager.default.fileExists(atPath: path)
                else {
                    throw SyncError.noLoginFile
                }
                throw SyncError.notPermitted(what: "Reading the file with the login's \(what)")
            }
            guard data.count <= maxBytes else { throw SyncError.badKeySet }
            return Array(data)
        }

        private static func fetch(_ url: String, transport: any HTTPTransport) async throws -> [UInt8] {
            let request = HTTPRequest(
                method: "GET",
                url: url,
                headers: [HTTPHeader(name: "Accept", value: "application/json, application/jwk-set+json")],
                maxResponseBytes: maxBytes,
                timeoutSeconds: timeoutSeconds
            )
            let response: HTTPResponse
            do { response = try await transport.send(request) } catch let error as TransportError {
                throw SyncError.keySetUnreachable(cause: "\(error)")
            }
            guard response.status == 200 else {
                throw SyncError.keySetUnreachable(cause: "status \(response.status)")
            }
            return response.body
        }

        /// A text file ends with a line break, which is not part of the secret.
        private static func withoutLineBreak(_ bytes: [UInt8]) -> [UInt8] {
            var bytes = bytes
            if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
            if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
            return bytes
        }
    }
#endif
