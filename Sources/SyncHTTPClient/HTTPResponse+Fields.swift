package import SyncCore

extension HTTPResponse {
    /// The media type in lower case, without parameters; empty if there is none.
    package var mediaType: String {
        let field = header("Content-Type") ?? ""
        let type = field.prefix { $0 != ";" && $0 != " " && $0 != "\t" }
        return type.lowercased()
    }

    /// The delay in seconds from `Retry-After`, in either form: 0 for a past date, nil if it is missing or
    /// invalid.
    package func retryAfterSeconds(now: Timestamp) -> Double? {
        guard let text = header("Retry-After") else { return nil }
        if !text.isEmpty, text.utf8.allSatisfy({ $0 &- 0x30 < 10 }) { return Double(text) }
        guard let date = HTTPDate.parse(text, now: now) else { return nil }
        return max(0, Double(date.microseconds - now.microseconds) / 1_000_000)
    }
}
