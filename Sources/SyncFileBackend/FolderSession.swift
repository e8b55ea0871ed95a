import SyncCore
import SyncWire

/// One sync's conversation with a folder.
actor FolderSession: RemoteSession {
    nonisolated let greeting: SessionGreeting
    private let reader: FolderReader
    private let request: SessionRequest
    private let scan: FolderScan
    private let own: OwnPart
    /// The cursor after all that was fetched and pushed.
    private var cursor: FolderCursor
    /// The pages still to be fetched; nil before the first fetch.
    private var pages: PageCutter?
    private var hasPushed = false

    init(_ reader: FolderReader, _ request: SessionRequest, _ scan: FolderScan, _ own: OwnPart) {
        self.reader = reader
        self.request = request
        self.scan = scan
        self.own = own
        cursor = own.start
        greeting = SessionGreeting(
            binding: FolderBinding(device: request.device).text,
            isCopy: own.isCopy,
            ownSequence: own.sequence
        )
    }

    func fetch() async throws -> RemotePage? {
        if pages == nil { pages = try folderErrors { try takeIn() } }
        return pages?.next()
    }

    func prepare(_ changes: [OutgoingChange], cursor text: String?) async throws -> PreparedPush {
        if let saved = text.flatMap({ FolderCursor($0) }), saved.device == request.device { cursor = saved }
        let first = cursor.own + 1
        let number = max(cursor.own, cursor.used) + 1
        // NB: numbers that the folder lost are not used again: whoever took the old ones would never read the new.
        let file = first == number ? NumberedFile(number: number) : NumberedFile(snapshot: first...number)
        var writer = SegmentWriter(
            SegmentHeader(
                device: request.device,
                range: file.range,
                kind: file.isSnapshot ? .snapshot : .segment,
                entries: changes.count
            )
        )
        for change in changes { writer.append(change) }
        let encoded = writer.finish()
        guard encoded.bytes.count <= reader.limits.maxFileBytes else {
            throw SyncError.pushTooLarge(encoded.bytes.count, limit: reader.limits.maxFileBytes)
        }
        let intent = FolderIntent(file: file, digest: encoded.digest.description)
        return PreparedPush(intent: intent.text, changes: changes, payload: encoded.bytes)
    }

    func push(_ push: PreparedPush) async throws -> PushReceipt {
        guard !request.readOnly else { throw SyncError.readOnlyPush() }
        guard let intent = FolderIntent(push.intent) else { throw SyncError.foreignIntent() }
        try folderErrors { try publish(push.payload, as: intent) }
        hasPushed = true
        if intent.file.range.upperBound > cursor.own {
            cursor.own = intent.file.range.upperBound
            cursor.ownDigest = intent.digest
            cursor.used = 0
        }
        for change in push.changes {
            cursor.sequence = max(cursor.sequence, change.stamp.sequence(of: request.device))
        }
        let results = push.changes.map { PushReceipt.Result.accepted($0.stamp.mark, nil) }
        return PushReceipt(results: results, cursor: cursor.text)
    }

    func close(cursor text: String?) async throws {
        guard !request.readOnly, !own.isCopy, let saved = text.flatMap({ FolderCursor($0) }),
            saved.device == request.device, !saved.readsOwn
        else { return }
        try folderErrors {
            try Housekeeper(reader: reader, request: request).run(saved, hasPushed: hasPushed)
        }
    }
}

extension FolderSession {
    /// Reads all new files of the other devices, and cuts what remains after reduction into pages.
    private func takeIn() throws -> PageCutter {
        var intake = own.intake
        intake.problems += scan.problems
        for listing in scan.devices where listing.device != request.device {
            var numbers = cursor.taken[listing.device] ?? NumberSet()
            try reader.takeIn(listing, into: &intake, &numbers)
            if numbers != NumberSet() { cursor.taken[listing.device] = numbers }
        }
        intake.problems += try vanished()
        intake.pool.reduce()
        return PageCutter(
            pool: intake.pool,
            problems: intake.problems,
            limits: reader.limits,
            midway: own.midway.text,
            final: cursor.text,
            isNew: request.cursor != cursor.text
        )
    }

    /// Devices of which something was taken and whose folder is gone, but for those that are retired.
    private func vanished() throws -> [RemoteProblem] {
        let known = Set(scan.devices.map(\.device))
        let skipped = Set(scan.problems.map(\.place))
        let gone = cursor.taken.keys.sorted().filter {
            !known.contains($0) && !skipped.contains(reader.layout.place($0))
        }
        guard !gone.isEmpty else { return [] }
        let retired = try reader.retired(scan)
        return gone.filter { !retired.contains($0) }.map { .vanished(reader.layout.place($0)) }
    }

    /// Writes the segment. One with the same fingerprint that stands there already is ours: nothing to do.
    private func publish(_ bytes: [UInt8], as intent: FolderIntent) throws {
        do {
            let path = reader.layout.path(request.device, intent.file)
            try reader.files.writeAtomically(bytes, to: path, replaces: false)
        } catch let problem as FileProblem where problem.kind == .exists {
            guard case .success(let file) = try reader.load(request.device, intent.file),
                file.segment.digest.description == intent.digest
            else { throw SyncError.publishedMeanwhile() }
        }
    }
}

/// Cuts entries into pages.
struct PageCutter: Sendable {
    let pool: EntryPool
    let problems: [RemoteProblem]
    let limits: FolderLimits
    /// The cursor of all pages but the last.
    let midway: String
    /// The cursor of the last page.
    let final: String
    /// Whether a page is worth making for the cursor alone.
    let isNew: Bool
    private var position = 0
    private var isDone = false

    init(
        pool: EntryPool,
        problems: [RemoteProblem],
        limits: FolderLimits,
        midway: String,
        final: String,
        isNew: Bool
    ) {
        self.pool = pool
        self.problems = problems
        self.limits = limits
        self.midway = midway
        self.final = final
        self.isNew = isNew
    }

    /// The next page; nil after the last one.
    mutating func next() -> RemotePage? {
        guard !isDone else { return nil }
        var page = RemotePage(bytes: [], items: [], cursor: midway)
        while position < pool.entries.count, page.items.count < limits.pageItems {
            let entry = pool.entries[position]
            let body = pool.body(entry)
            // A body larger than a page gets one of its own.
            if !page.items.isEmpty, page.bytes.count + body.count > limits.pageBytes { break }
            let start = page.bytes.count
            page.bytes.append(contentsOf: body)
            page.items.append(
                RemoteItem(
                    entity: entry.header.entity,
                    key: entry.header.key,
                    kind: entry.header.isDeleted ? .delete : .upsert,
                    mergedInto: entry.header.mergedInto,
                    stamp: entry.header.stamp,
                    body: start..<page.bytes.count
                )
            )
            position += 1
        }
        guard position == pool.entries.count else { return page }
        isDone = true
        guard !page.items.isEmpty || !problems.isEmpty || isNew else { return nil }
        page.cursor = final
        page.problems = problems
        return page
    }
}
