package import SyncCore

extension HTTPResponse {
    /// The media type in lower case, without parameters; empty if there is none.
    package var mediaType: String {
        let field = header("Content-Type") ?? ""
        let type = field.prefix { $0 != ";" && $0 != " " && $0 != "\t" }
        return type.lowercased()
    }

    /// The longest `Retry-After` that is meant: a year. A longer one is a mistake, and nobody would sync again.
    private static let maxRetryAfterSeconds: Double = 366 * 86_400

    /// The delay in seconds from `Retry-After`, in either form: 0 for a past date, nil if it is missing,
    /// invalid, or longer than a year.
    package func retryAfterSeconds(now: Timestamp) -> Double? {
        guard let text = header("Retry-After") else { return nil }
        let seconds: Double?
        if !text.isEmpty, text.utf8.allSatisfy({ $0 &- 0x30 < 10 }) {
            seconds = Double(text)
        } else {
            seconds = HTTPDate.parse(text, now: now).map {
                max(0, Double($0.microseconds - now.microseconds) / 1_000_000)
            }
        }
        return seconds.flatMap { $0 <= Self.maxRetryAfterSeconds ? $0 : nil }
    }
}
