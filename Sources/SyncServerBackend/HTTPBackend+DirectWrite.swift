public import SyncCore
import SyncWire

extension DirectWrite {
    /// What became of one record.
    public enum Result: Sendable, Hashable {
        /// The server holds it: stored now, or before, when only the answer was lost.
        case stored
        /// The server holds another record under its key, or a tombstone. Nothing was written.
        case keyTaken(SyncError)
        /// The server does not take it, and says why. Nothing was written.
        case refused(SyncError)

        /// Why the record is not stored; nil when it is.
        public var error: SyncError? {
            switch self {
            case .stored: nil
            case .keyTaken(let error), .refused(let error): error
            }
        }
    }
}

extension HTTPBackend {
    /// Sends new records with one request, and nothing else is asked: neither a store nor what the server holds is read.
    ///
    /// The request is repeated as those of a sync are, while the server gives no usable answer. When that ends in an error
    /// the write may have been stored or not: send the same one again. NB: not after the server may have forgotten a
    /// delete of its records (`tombstoneDays`), as they would be taken for new ones.
    ///
    /// - Returns: What became of each record, in order.
    /// - Throws: `SyncError` whose `retry` says whether to send it again; `CancellationError`.
    public func send(_ write: DirectWrite) async throws -> [DirectWrite.Result] {
        guard !write.changes.isEmpty else { return [] }
        let request = SessionRequest(
            device: write.device,
            label: "",
            entities: [],
            binding: nil,
            cursor: nil,
            intent: nil
        )
        let session = ServerSession(client: client, request: request, limits: limits, path: path)
        do {
            let answer = try await session.push(
                write.payload,
                batch: write.batch,
                count: write.changes.count,
                attempts: nil
            )
            return zip(write.changes, answer.results).map { DirectWrite.Result(result: $1, of: $0) }
        } catch let problem as WireError {
            throw problem.code == .tooLarge ? SyncError.tooLargeWrite() : SyncError(problem)
        }
    }
}

extension DirectWrite.Result {
    fileprivate init(result: ExchangeResult, of change: Change) {
        switch result {
        case .accepted: self = .stored
        // Stored before, and somebody has gone on from there.
        case .conflict(let current?)
        where current.writtenMetadata.vector.covers(change.writtenMetadata.editTimestamp):
            self = .stored
        case .conflict: self = .keyTaken(.keyTakenAtServer(entity: change.entity))
        case .refused(let rule, let reason): self = .refused(.refusedWrite(rule: rule, reason: reason))
        }
    }
}
