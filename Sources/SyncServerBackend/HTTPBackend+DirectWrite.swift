public import SyncCore
import SyncWire

extension DirectWrite {
    /// The result for one record.
    public enum Result: Sendable, Hashable {
        /// The server has it: stored now, or earlier if only the answer was lost.
        case stored
        /// The server has another record, or a tombstone, under its key. Nothing was written.
        case keyTaken(SyncError)
        /// The server rejects it, with the reason, or cannot take it now: then the error's `retry` is `later`. Nothing was
        /// written.
        case refused(SyncError)

        /// Why the record is not stored; nil if it is.
        public var error: SyncError? {
            switch self {
            case .stored: nil
            case .keyTaken(let error), .refused(let error): error
            }
        }
    }
}

extension HTTPBackend {
    /// Sends new records with one request. Reads neither a store nor the server's records.
    ///
    /// The request is retried like those of a sync. If it fails in the end, the write may or may not have been
    /// stored: send the same one again. NB: not after the server may have dropped tombstones of its records
    /// (`tombstoneDays`), because they would count as new.
    ///
    /// - Returns: The result for each record, in order.
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
        let session = ServerSession(
            client: client,
            request: request,
            limits: limits,
            path: path + exchangeName
        )
        do {
            let answer = try await session.push(
                write.payload,
                batch: write.batch,
                count: write.changes.count,
                attempts: nil
            )
            return zip(write.changes, answer.results).map { DirectWrite.Result(result: $1, of: $0) }
        } catch let error as WireError {
            throw error.code == .tooLarge ? SyncError.tooLargeWrite() : SyncError(error)
        }
    }
}

extension DirectWrite.Result {
    fileprivate init(result: ExchangeResult, of change: Change) {
        switch result {
        case .accepted: self = .stored
        // Stored earlier, and edited since.
        case .conflict(let current?)
        where current.writtenMetadata.vector.covers(change.writtenMetadata.editTimestamp):
            self = .stored
        case .conflict: self = .keyTaken(.keyTakenAtServer(entity: change.entity))
        case .refused(let rule, let reason, _): self = .refused(.refusedWrite(rule: rule, reason: reason))
        }
    }
}
