import SyncCore

extension WireError {
    /// The body that reports the error:
    /// `{"type":"about:blank","title":"…","status":410,"code":"cursor-expired","detail":"…"}`, with `limits` if they
    /// were exceeded, and `storage` if the server cannot store (RFC 9457, section 3).
    public var body: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("type", value: "about:blank")
        writer.member("title", value: code.rawValue)
        writer.member("status", value: Int64(code.status))
        writer.member("code", value: code.rawValue)
        writer.member("detail", value: detail)
        if let limits {
            writer.name("limits")
            limits.append(to: &writer)
        }
        if let storage { writer.member("storage", value: storage.rawValue) }
        writer.endObject()
        return writer.bytes
    }

    /// Reads such a body; nil for anything else, such as the page of a proxy.
    public init?(body: [UInt8]) {
        var texts: [String: String] = [:]
        var limits: WireLimits?
        do {
            try body.withUnsafeBufferPointer { buffer in
                var reader = try JSONReader(buffer)
                guard try reader.beginObject() else { return }
                repeat {
                    let name = try reader.name().decode()
                    switch name {
                    case "code", "detail", "storage": texts[name] = try reader.string().decode()
                    case "limits": limits = try WireLimits(&reader)
                    default: try reader.skipValue()
                    }
                } while try reader.nextMember()
                try reader.end()
            }
        } catch { return nil }
        guard let code = texts["code"].flatMap({ Code(rawValue: $0) }) else { return nil }
        // A reason that is not known yet is a reason, too.
        let storage = texts["storage"].map { StorageFailure(rawValue: $0) ?? .failed }
        self.init(code: code, detail: texts["detail"] ?? "", limits: limits, storage: storage)
    }
}
