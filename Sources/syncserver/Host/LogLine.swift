import SyncCore

/// A line of the log that is not about a request.
enum LogLine {
    static func text(_ level: String, _ event: String, message: String? = nil, at time: Timestamp) -> String {
        var writer = JSONWriter()
        writer.beginObject()
        for (name, value) in [
            ("time", time.description), ("level", level), ("event", event), ("message", message),
        ] {
            guard let value else { continue }
            writer.name(name)
            writer.string(value)
        }
        writer.endObject()
        return writer.text
    }
}
