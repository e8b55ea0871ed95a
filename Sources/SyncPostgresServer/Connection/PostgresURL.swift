#if Server
    import CPostgreSQL
    import Foundation

    /// Where a database is, and how to log in: a URL such as `postgres://server@127.0.0.1/records`, or libpq's
    /// `host=... dbname=...`. What it leaves out comes from libpq's own environment variables and files.
    ///
    /// It may hold a password, so it is never printed. `place` is what messages show.
    public struct PostgresURL: Sendable, CustomStringConvertible {
        /// What libpq connects with. Never shown.
        let text: String
        /// The password in the text, which is taken out of libpq's messages.
        let password: String?
        /// The database without user and password, such as `127.0.0.1:5432/records`.
        public let place: String

        /// Reads a URL. Returns nil if libpq does not understand it; libpq's own message would repeat the text.
        public init?(_ text: String) {
            guard !text.isEmpty, !text.utf8.contains(0) else { return nil }
            var message: UnsafeMutablePointer<CChar>?
            guard let options = PQconninfoParse(text, &message) else {
                PQfreemem(message)
                return nil
            }
            defer { PQconninfoFree(options) }
            var values: [String: String] = [:]
            var option = options
            while let keyword = option.pointee.keyword {
                if let value = option.pointee.val {
                    values[String(cString: keyword)] = String(cString: value)
                }
                option += 1
            }
            // A password with a '/' that is not encoded would stand in the place of host and port.
            guard values["host"]?.contains("@") != true,
                values["port"]?.allSatisfy({ $0.isNumber || $0 == "," }) != false,
                values["dbname"]?.contains("@") != true
            else { return nil }
            self.text = text
            password = values["password"].flatMap { $0.isEmpty ? nil : $0 }
            let host = values["host"] ?? values["hostaddr"] ?? "the local socket"
            place = host + (values["port"].map { ":\($0)" } ?? "") + "/" + (values["dbname"] ?? "")
        }

        /// The place; without user and password.
        public var description: String { place }

        /// One line of a message of libpq, without the password.
        func sentence(message: String) -> String {
            var line = message.split(whereSeparator: \.isNewline).map {
                $0.trimmingCharacters(in: .whitespaces)
            }
            .joined(separator: " ")
            if let password { line = line.replacing(password, with: "***") }
            return line
        }
    }
#endif
