import EntitySync
import Foundation
import SyncCore
import SyncInspector
import SyncStore
import Testing

@testable import synccheck

/// A live page of a laptop with a conflict and a lost value, without a network.
final class LivePages {
    let scratch: Scratch
    let laptop: ScratchDevice
    let key: String
    let server: InspectionServer
    let access: PageAccess
    private let inspection: Inspection

    init() throws {
        scratch = try Scratch()
        let phone = scratch.device(name: "phone")
        laptop = scratch.device(name: "laptop")
        key = try phone.must(arguments: "put", "note", #"{"title":"a","body":"base"}"#).trimmed
        try phone.must(arguments: "put", "task", #"{"id":"t","state":"open"}"#)
        try phone.sync()
        try laptop.sync()
        for (device, text) in [(phone, "phone"), (laptop, "laptop")] {
            try device.must(arguments: "put", "note", #"{"id":"\#(key)","body":"\#(text)"}"#)
            try device.must(arguments: "put", "task", #"{"id":"t","state":"\#(text)"}"#)
        }
        try phone.sync()
        try laptop.sync()
        let path = scratch.folder.appendingPathComponent(laptop.store).path
        let workspace = try Workspace(
            schemaPaths: [scratch.folder.appendingPathComponent("Schemas").path],
            storePath: path
        )
        inspection = try Inspection(workspace: workspace, commands: StoreCommands(), limits: ReportLimits())
        access = PageAccess(port: 4711, random: SystemRandom())
        server = InspectionServer(
            inspection: inspection,
            commits: try CommitCounter(path: path),
            access: access,
            asked: nil
        )
    }

    /// Exchanges the token for a cookie.
    func signIn() throws -> String {
        let target = try #require(access.address).replacing("http://127.0.0.1:4711", with: "")
        let response = server.answer(request("GET", target))
        #expect(response.status == 200)
        let header = try #require(response.headers.first { $0.name == "Set-Cookie" }?.value)
        #expect(header.hasSuffix("; Path=/; HttpOnly; SameSite=Strict"))
        return String(header.prefix { $0 != ";" })
    }

    func request(_ method: String, _ target: String, headers: [String: String] = [:], body: String = "")
        -> PageRequest
    {
        PageRequest(
            method: method,
            target: target,
            headers: ["host": "127.0.0.1:4711"].merging(headers) { $1 },
            body: Array(body.utf8)
        )
    }

    /// A button's form, as a browser sends it.
    func post(
        _ target: String,
        cookie: String,
        fields: [String: String],
        headers: [String: String] = [:]
    ) -> PageRequest {
        var fields = fields
        fields["form"] = fields["form"] ?? access.formToken
        let body = fields.map { "\($0.key)=\($0.value)" }.joined(separator: "&")
        let own = [
            "cookie": cookie, "origin": "http://127.0.0.1:4711", "sec-fetch-site": "same-origin",
            "content-type": "application/x-www-form-urlencoded",
        ]
        return request("POST", target, headers: own.merging(headers) { $1 }, body: body)
    }

    /// The fields of a form on the page, by its action.
    func fields(of action: String, on page: String) throws -> [String: String] {
        let start = try #require(page.range(of: "action=\"/\(action)\""))
        let form = page[start.upperBound...].prefix(
            upTo: try #require(page[start.upperBound...].range(of: "</form>")).lowerBound
        )
        return Dictionary(
            uniqueKeysWithValues: form.matches(of: /name="([a-z]+)" value="([^"]*)">/).filter {
                $0.output.1 != "keep"
            }
            .map { (String($0.output.1), String($0.output.2)) }
        )
    }

    /// The page as it is now.
    func page(cookie: String) -> String {
        server.answer(request("GET", "/", headers: ["cookie": cookie])).body
    }

    /// Leaves a record as it is once the remote has refused it.
    func reject(_ record: RecordName) throws {
        let entity = try inspection.workspace.entity(name: record.entity)
        let rejection = Rejection(
            entity: record.entity,
            key: record.key,
            reason: "it does not fit",
            attempts: 1,
            raw: nil,
            since: Timestamp(microseconds: 1_772_366_400_000_000)
        )
        try inspection.store.write(.full) { transaction in
            var local = try #require(try transaction.load(entity: entity, key: record.key))
            local.state = .rejected
            try transaction.save(entity: entity, record: local)
            try transaction.setRejection(rejection)
        }
    }
}
