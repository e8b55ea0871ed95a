import EntitySync
import Foundation
import SyncCore
import SyncInspector
import SyncStore

/// Answers the requests for a live page. It knows no network.
final class InspectionServer: Sendable {
    let access: PageAccess
    private let inspection: Inspection
    private let commits: CommitCounter
    private let asked: RecordName?
    /// What the last button did, until a page has shown it.
    private let notice = Guarded<InspectorPage.Notice?>(nil)
    /// The forms that were carried out, the latest last.
    private let done = Guarded<[Done]>([])
    private static let maxDone = 100

    /// Makes a server for a store.
    ///
    /// - Parameter asked: The record whose history is shown first, unless a request names another.
    init(inspection: Inspection, commits: CommitCounter, access: PageAccess, asked: RecordName?) {
        self.inspection = inspection
        self.commits = commits
        self.access = access
        self.asked = asked
    }

    /// Headers of every answer: nothing is kept, framed, or loaded from elsewhere.
    static let headers: [(name: String, value: String)] = [
        ("Cache-Control", "no-store"),
        ("Content-Security-Policy", InspectorPage.servedPolicy + "; frame-ancestors 'none'"),
        ("Cross-Origin-Opener-Policy", "same-origin"),
        ("Cross-Origin-Resource-Policy", "same-origin"),
        // NB: `no-referrer` would make browsers send `Origin: null` with a form.
        ("Referrer-Policy", "same-origin"),
        ("X-Content-Type-Options", "nosniff"),
        ("X-Frame-Options", "DENY"),
    ]

    /// Answers a request. It may take as long as reading the store does.
    func answer(_ request: PageRequest) -> PageResponse {
        switch access.decide(request) {
        case .refused(let sentence): return .note(403, sentence)
        case .exchanged(let cookie):
            // NB: a page and no redirect, because a browser sends no strict cookie along a redirect that a link on
            // another site began.
            return PageResponse(
                status: 200,
                headers: [("Set-Cookie", cookie), ("Refresh", "0; url=/")],
                body: PageResponse.note(200, "<a href=\"/\">To the page</a>").body
            )
        case .allowed: break
        }
        do {
            switch (request.method, request.path) {
            case ("GET", "/"): return try page(request)
            case ("GET", "/version"):
                return PageResponse(status: 200, type: "text/plain", body: try commits.text())
            case ("POST", "/resolve"): return act(request, section: "conflicts", action: resolve)
            case ("POST", "/retry"): return act(request, section: "rejected", action: retry)
            case ("POST", "/restore"): return act(request, section: "journal", action: restore)
            case ("GET", _): return .note(404, "There is no such page. <a href=\"/\">To the page</a>")
            default: return .note(405, "This page knows no such request.")
            }
        } catch {
            return .note(500, "The store could not be read. Look at it with 'synccheck status'.")
        }
    }

    private func page(_ request: PageRequest) throws -> PageResponse {
        var notice = self.notice.use { notice in
            defer { notice = nil }
            return notice
        }
        let version = try commits.text()
        let report: StoreReport
        do {
            report = try self.report(query: request.query)
        } catch let error as SyncError where [.notFound, .usage].contains(error.kind) {
            notice = Self.notice(of: error, section: "histories")
            report = try inspection.report()
        }
        let live = InspectorPage.LivePage(formToken: access.formToken, version: version, notice: notice)
        return PageResponse(status: 200, body: InspectorPage(report: report, live: live).html)
    }

    /// The report with the record that a query names, as it is or as a page shows its key.
    private func report(query: [String: String]) throws -> StoreReport {
        guard let name = query["entity"], let text = query["text"] else {
            return try inspection.report(asked: asked)
        }
        let entity = try inspection.workspace.entity(name: name)
        func report(text: String) throws -> StoreReport {
            let key = try KeyArgument.key(text: text, of: entity)
            return try inspection.report(asked: RecordName(entity: name, key: key))
        }
        let meant = text.withShownCharacters
        do {
            return try report(text: text)
        } catch let error as SyncError where error.kind == .notFound && meant != text {
            return try report(text: meant)
        }
    }

    /// Runs what a button stands for, and shows the section again with what came of it.
    private func act(
        _ request: PageRequest,
        section: String,
        action: ([String: String]) throws -> String
    ) -> PageResponse {
        var form = request.form ?? [:]
        form["action"] = request.path
        // One button after the other: the second click of a double one finds what the first has done. It counts until
        // the record changes again; then the form is carried out anew, and what comes of it is told as it is.
        let result = done.use { done -> InspectorPage.Notice in
            do {
                let name = try self.record(form: form)
                let before = done.last { $0.form == form }
                if let before, try self.state(of: name) == before.state {
                    return Self.notice(ofDone: before.text, section: section)
                }
                let text = try action(form)
                // If that cannot be read, the form is not remembered; what was done must not be told as an error.
                if let state = try? self.state(of: name) {
                    done = Array((done + [Done(form: form, text: text, state: state)]).suffix(Self.maxDone))
                }
                return InspectorPage.Notice(text: text, isError: false, section: section)
            } catch let error as SyncError {
                return Self.notice(of: error, section: section)
            } catch {
                return Self.notice(of: SyncError.unexpected(error: error), section: section)
            }
        }
        notice.use { $0 = result }
        return .redirect(to: "/#\(section)")
    }

    /// The present state of a record, or of the one that it was merged into; nil if there is none.
    private func state(of record: RecordName) throws -> RecordHeader? {
        let entity = try inspection.workspace.entity(name: record.entity)
        return try inspection.store.read { snapshot in
            let key = try snapshot.survivor(entity: entity, key: record.key)
            return try snapshot.header(entity: entity, key: key)
        }
    }

    /// The button of a form that was carried out before.
    private static func notice(ofDone text: String, section: String) -> InspectorPage.Notice {
        InspectorPage.Notice(text: "This is done already. \(text)", isError: false, section: section)
    }

    /// An error in the words of a page, whose buttons stand for commands.
    private static func notice(of error: SyncError, section: String) -> InspectorPage.Notice {
        InspectorPage.Notice(text: "\(error.message) \(error.help)", isError: true, section: section)
    }

    private func resolve(form: [String: String]) throws -> String {
        let record = try record(form: form)
        let isLocal = form["keep"] == "local"
        guard isLocal || form["keep"] == "remote" else { throw SyncError.unreadableForm() }
        try inspection.resolve(
            record,
            with: isLocal ? .local : .remote,
            answering: try Self.version(text: form["against"])
        )
        return "Resolved with \(isLocal ? "this device's" : "the remote's") version. The next sync sends it."
    }

    /// The version that the person looked at; nil if there was none.
    private static func version(text: String?) throws -> EditTimestamp? {
        guard let text else { throw SyncError.unreadableForm() }
        if text.isEmpty { return nil }
        guard let version = EditTimestamp(text) else { throw SyncError.unreadableForm() }
        return version
    }

    private func retry(form: [String: String]) throws -> String {
        try inspection.retry(try record(form: form))
        return "The next sync sends it again."
    }

    private func restore(form: [String: String]) throws -> String {
        guard let id = form["id"] else { throw SyncError.unreadableForm() }
        let isBack = try inspection.restore(
            journal: id,
            withParents: form["parents"] == "1",
            over: .version(try Self.version(text: form["over"]))
        )
        if !isBack { return "The record has that value already; nothing was written." }
        return "The value is back, and what it replaced is in the journal. The next sync sends it."
    }

    private func record(form: [String: String]) throws -> RecordName {
        guard let record = RecordName(entity: form["entity"] ?? "", hexKey: form["key"] ?? "") else {
            throw SyncError.unreadableForm()
        }
        return record
    }

    /// A form that was carried out.
    private struct Done: Sendable {
        let form: [String: String]
        /// What was said.
        let text: String
        /// The record's state right after.
        let state: RecordHeader
    }
}

extension SyncError {
    /// A form of the live page lacks something.
    fileprivate static func unreadableForm() -> SyncError {
        SyncError(
            kind: .usage,
            message: "The form was not whole; nothing was done.",
            help: "Load the page again and press the button once more."
        )
    }
}

extension String {
    /// The text with each `\u{…}` replaced by its character, as a page shows characters that nobody can see.
    fileprivate var withShownCharacters: String {
        replacing(/\\u\{([0-9a-fA-F]{1,6})\}/) { match in
            UInt32(match.output.1, radix: 16).flatMap(Unicode.Scalar.init).map { String($0) }
                ?? String(match.output.0)
        }
    }
}
