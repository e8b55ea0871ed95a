package import SyncWire

extension ExchangeRequest {
    /// Reads a request as it came over HTTP, and checks it against the server's limits. Throws `WireError` or
    /// `JSONError`.
    package init(message: ServerRequest, limits: WireLimits, maxEntities: Int) throws {
        try Self.checkMedia(message)
        guard message.body.count <= limits.requestBytes else {
            throw WireError.tooManyBytes(limits: limits)
        }
        try self.init(message.body)
        guard entities.count <= maxEntities else {
            throw WireError.tooManyEntities(count: maxEntities)
        }
        for name in [batch, previous] {
            guard name?.utf8.count ?? 0 <= ExchangePolicy.maxBatchBytes else {
                throw WireError.tooLongBatch(count: ExchangePolicy.maxBatchBytes)
            }
        }
        guard records?.count ?? 0 <= WireProtocol.maxFingerprints,
            records?.keys.allSatisfy(Self.isFingerprintName) != false
        else { throw WireError.tooManyFingerprints(count: WireProtocol.maxFingerprints) }
        guard changeCount <= limits.changes else { throw WireError.tooManyChanges(limits: limits) }
    }

    private static func isFingerprintName(_ name: String) -> Bool {
        (1...WireProtocol.maxFingerprintNameBytes).contains(name.utf8.count)
            && name.utf8.allSatisfy { $0 >= 0x20 }
    }

    /// A body without a content type is taken as JSON.
    private static func checkMedia(_ message: ServerRequest) throws {
        for type in message.headers(named: "Content-Type") {
            let media = type.split(separator: ";").first?.filter { $0 != " " && $0 != "\t" }.lowercased()
            guard media == WireProtocol.mediaType else { throw WireError.notJSONBody() }
        }
        for encoding in message.headers(named: "Content-Encoding") where encoding.lowercased() != "identity" {
            throw WireError.notJSONBody()
        }
    }
}
