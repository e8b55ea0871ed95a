import SyncCore
import SyncWire

/// Asks for the pages behind the one in hand, one after the other, so that network and store work at the same time.
actor PagesAhead {
    /// The most pages that wait.
    private static let maxPages = 64

    private let maxBytes: Int
    private var pages: [ExchangeAnswer] = []
    private var bytes = 0
    /// The session at the last page that has come.
    private var last: ServerSession?
    /// The request under way.
    private var request: Task<Void, any Error>?

    /// `maxBytes`: about how many bytes of records may wait.
    init(maxBytes: Int) {
        self.maxBytes = maxBytes
    }

    deinit { request?.cancel() }

    /// Asks for the page after an answer, if there is one. `exchange` has that answer's cursor.
    func ask(_ exchange: ServerSession, after answer: ExchangeAnswer) {
        guard request == nil else { return }
        if let page = pages.last, let last { send(last, after: page) } else { send(exchange, after: answer) }
    }

    /// The next page, once it has come. Nil if none was asked for. Throws the error of its request.
    func next() async throws -> ExchangeAnswer? {
        while pages.isEmpty, let running = request {
            do {
                try await withTaskCancellationHandler {
                    try await running.value
                } onCancel: {
                    running.cancel()
                }
            } catch {
                request = nil
                throw error
            }
        }
        guard !pages.isEmpty else { return nil }
        let page = pages.removeFirst()
        bytes -= page.bytes
        return page
    }

    private func send(_ exchange: ServerSession, after answer: ExchangeAnswer) {
        request = nil
        guard answer.hasMore, bytes < maxBytes, pages.count < Self.maxPages else { return }
        var exchange = exchange
        let isSame = exchange.cursor.server == answer.cursor
        exchange.cursor.server = answer.cursor
        // A server that stands still is noticed when the page is taken.
        guard !isSame || pages.isEmpty else { return }
        request = Task { [weak self, exchange] in
            let page = try await exchange.next()
            await self?.arrived(page, exchange: exchange)
        }
    }

    private func arrived(_ page: ExchangeAnswer, exchange: ServerSession) {
        pages.append(page)
        bytes += page.bytes
        last = exchange
        send(exchange, after: page)
    }
}

extension ExchangeAnswer {
    /// The bytes of its records.
    fileprivate var bytes: Int { changes.reduce(0) { $0 + $1.body.count } }
}
