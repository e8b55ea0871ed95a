import EntitySync
import SyncCore
import SyncDynamic
import SyncHTTPClient
import SyncRuntime
import SyncSchema
import SyncServerBackend

/// What a sync with nothing to do costs beside the one request that it makes.
enum IdleRatio {
    static let entities = 14

    static func measure(_ bench: Bench) async throws -> Measurement {
        let sources = GeneratedSchemas.sources(count: entities, fields: 12)
        let schemas = SchemaLoader.load(sources)
        guard schemas.isValid else { throw Unmeasured(reason: "the made schemas are not valid") }
        let entities = EntityDescriptor.descriptors(of: schemas.schemas)
        let server = try await HostedServer.start(schemas: sources, entities: entities, bench: bench)
        defer { server.stop() }
        let transport = WatchedTransport(SystemTransport())
        let device = try BenchDevice(
            folder: try bench.folder(path: "idle"),
            backend: server.backend(transport: transport),
            entities: entities
        )
        try fill(device, entities: entities)
        try await device.sync(pushed: entities.count * records, pulled: 0)
        _ = transport.take()
        try await device.sync(pushed: 0, pulled: 0)
        let sent = transport.take()
        guard let bare = sent.last else { throw Unmeasured(reason: "a sync made no request") }
        let repeats = max(20, min(200, bench.records / 500))
        let sides = try await bench.takeTurns(
            ours: Bench.Side(
                prepare: {},
                run: {
                    for _ in 0..<repeats { try await device.sync(pushed: 0, pulled: 0) }
                }
            ),
            yardstick: Bench.Side(
                prepare: {},
                run: {
                    for _ in 0..<repeats {
                        guard try await transport.send(bare).status == 200 else {
                            throw Unmeasured(reason: "the bare request was refused")
                        }
                    }
                }
            )
        )
        _ = transport.take()
        let requests = try await device.sync(pushed: 0, pulled: 0)
        var found = Measurement.over(
            sides: sides,
            note: "\(requests) request of \(bare.body.count) bytes and \(sent.count) seen, \(server.kind), "
                + "means of \(repeats)",
            processorAtMost: 2
        )
        found.ours /= Double(repeats)
        found.yardstick? /= Double(repeats)
        found.holds = requests == 1 && sent.count == 1 && transport.take().count == 1
        return found
    }

    /// How many records of each entity are there.
    private static let records = 10

    private static func fill(_ device: BenchDevice, entities: [EntityDescriptor]) throws {
        for (position, entity) in entities.enumerated() {
            for number in 0..<records {
                let digits = String(1_000_000_000_000 + position * 1000 + number).dropFirst()
                _ = try device.writer.put(
                    entity:
                        entity,
                    json: Array(#"{"id":"00000000-0000-4000-8000-\#(digits)"}"#.utf8)
                )
            }
        }
    }
}
