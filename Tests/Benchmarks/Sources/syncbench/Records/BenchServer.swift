import EntitySync
import Foundation
import SyncCore
import SyncHTTPClient
import SyncServerBackend
import SyncWire

/// A server in memory that costs next to nothing: it hands out pages that were written before, and takes every change.
///
/// What it answers are the bytes of the protocol, so that all that the client does with them is measured.
final class BenchServer: HTTPTransport, @unchecked Sendable {
    private let pageCount: Int
    private let page: @Sendable (Int) -> [UInt8]
    private let lock = NSLock()
    // Guarded by `lock`.
    private var news: [[UInt8]] = []
    private var place: Int
    private var batch: String?
    private var expires = false
    private var taken = 0

    /// Holds so many pages; `page` gives each of them as an answer.
    init(pageCount: Int = 0, page: @escaping @Sendable (Int) -> [UInt8] = { _ in [] }) {
        self.pageCount = pageCount
        self.page = page
        place = pageCount
    }

    /// Holds pages that were written before.
    convenience init(_ answers: [[UInt8]]) {
        self.init(pageCount: answers.count) { answers[$0] }
    }

    /// The backend that talks to this server.
    func backend() throws -> HTTPBackend {
        HTTPBackend(
            url: try ServerURL("http://localhost"),
            credentials: FixedToken(),
            environment: HTTPEnvironment(
                clock: SystemClock(),
                random: SystemRandom(),
                sleeper: NoSleeper(),
                transport: self
            )
        )
    }

    /// Has entries ready for the next request that has seen all pages.
    func publish(_ entries: [[UInt8]]) { lock.withLock { news += entries } }

    /// Refuses the next cursor as too old, so that the client begins from nothing.
    func expireCursors() { lock.withLock { expires = true } }

    /// How many changes were taken.
    var changesTaken: Int { lock.withLock { taken } }

    func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        let (status, body) = try answer(body: request.body)
        return HTTPResponse(
            status: status,
            headers: [HTTPHeader(name: "Content-Type", value: WireProtocol.mediaType)],
            body: body
        )
    }

    func stream(_ request: HTTPRequest) async throws -> HTTPStream { throw TransportError.unreachable }

    private func answer(body: [UInt8]) throws -> (Int, [UInt8]) {
        let (head, changes) = try Self.split(body: body)
        return lock.withLock {
            if changes > 0 {
                batch = head.batch
                taken += changes
                return (200, acceptance(count: changes))
            }
            guard let cursor = head.cursor else { return (200, pageCount > 0 ? page(0) : latest()) }
            if expires {
                expires = false
                return (410, [])
            }
            let next = Int(cursor.dropFirst()) ?? 0
            return (200, next < pageCount ? page(next) : latest())
        }
    }

    private func acceptance(count: Int) -> [UInt8] {
        ServerAnswer(batch: batch).acceptance(
            of: count,
            after: 1_000_000_000 + taken,
            cursor: ServerAnswer.cursor(page: place)
        )
    }

    /// What was published since, as a change to what the client has.
    private func latest() -> [UInt8] {
        if !news.isEmpty { place += 1 }
        defer { news = [] }
        return ServerAnswer(batch: batch).page(
            entries: news,
            isSnapshot: false,
            cursor: ServerAnswer.cursor(page: place),
            hasMore: false
        )
    }

    /// The request without its changes, and how many there are: they stand last, and are not read.
    private static func split(body: [UInt8]) throws -> (ExchangeRequest, Int) {
        try body.withUnsafeBytes { bytes in
            guard let start = find(",\"changes\":[", in: bytes) else { return (try ExchangeRequest(body), 0) }
            let head = try ExchangeRequest(Array(bytes[..<start]) + [UInt8(ascii: "}")])
            var count = 0
            var rest = UnsafeRawBufferPointer(rebasing: bytes[start...])
            // NB: within a string the quotes would be escaped.
            while let next = find("{\"entity\":", in: rest) {
                count += 1
                rest = UnsafeRawBufferPointer(rebasing: rest[(next + 1)...])
            }
            return (head, count)
        }
    }

    /// The first place of a text whose first byte is rare.
    private static func find(_ text: StaticString, in bytes: UnsafeRawBufferPointer) -> Int? {
        guard let base = bytes.baseAddress else { return nil }
        let length = text.utf8CodeUnitCount
        var place = 0
        while place + length <= bytes.count {
            guard
                let next = memchr(
                    base + place,
                    Int32(text.utf8Start.pointee),
                    bytes.count - length + 1 - place
                )
            else { return nil }
            place = UnsafeRawPointer(next) - base
            if memcmp(base + place, text.utf8Start, length) == 0 { return place }
            place += 1
        }
        return nil
    }
}

/// One token for all.
private struct FixedToken: CredentialSource {
    func token() async throws -> String { "bench" }
    func refresh(refused: String) async throws -> String? { nil }
}

/// Nothing is ever tried again here.
private struct NoSleeper: SyncSleeper {
    func sleep(seconds: Double) async throws { throw TransportError.unreachable }
}
