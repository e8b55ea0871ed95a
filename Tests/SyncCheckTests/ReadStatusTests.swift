import Foundation
import ProgramRuns
import Testing

@testable import synccheck

/// The shipped entity `read-status`: an article read on any device is read.
@Suite struct ReadStatusTests {
    private static let schemas = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Schemas").path

    private func line(link: String, isRead: Bool, year: Int) -> String {
        let time = "\(year)-01-01T00:00:00Z"
        let readAt = isRead ? "\"\(time)\"" : "null"
        return
            #"{"link":"\#(link)","isRead":\#(isRead),"readAt":\#(readAt),"createdAt":"\#(time)","updatedAt":"\#(time)"}"#
    }

    /// For each link, whether it is read, and whether it has a time.
    private func statuses(device: ScratchDevice) throws -> [String: [Bool]] {
        let lines = try device.must(arguments: "export", "read-status", "--schemas", Self.schemas).split(
            separator: "\n"
        )
        return try lines.reduce(into: [:]) { statuses, line in
            let status = try object(text: String(line))
            let link = try #require(status["link"] as? String)
            statuses[link] = [try #require(status["isRead"] as? Bool), status["readAt"] is String]
        }
    }

    private func sync(_ devices: ScratchDevice...) throws {
        for device in devices {
            try device.must(arguments: "sync", "--remote", "shared", "--schemas", Self.schemas)
        }
    }

    @Test(arguments: [2020, 2030]) func whatWasReadBeforeTheDevicesMetIsReadOnBoth(phoneYear: Int) throws {
        let scratch = try Scratch()
        let (phone, laptop) = (scratch.device(name: "phone"), scratch.device(name: "laptop"))
        let links = try DemoMaterial().verses.map { "https://example.org/\($0.name)" }
        try #require(links.count > 10)
        func lines(year: Int, isRead: (Int) -> Bool) -> String {
            links.enumerated().map { line(link: $1, isRead: isRead($0), year: year) }.joined(separator: "\n")
        }
        let isReadOnPhone: (Int) -> Bool = { $0 % 4 < 2 }
        let isReadOnLaptop: (Int) -> Bool = { $0 % 4 == 1 || $0 % 4 == 2 }
        let arguments = ["import", "read-status", "-", "--schemas", Self.schemas]
        for (device, input) in [
            (phone, lines(year: phoneYear, isRead: isReadOnPhone)),
            (laptop, lines(year: 2025, isRead: isReadOnLaptop)),
        ] {
            let run = try Tool.run(
                in: scratch.folder,
                arguments: arguments + ["--store", device.store],
                input: input
            )
            #expect(run.exitCode == 0, "\(run.error)")
        }
        try sync(phone, laptop, phone)
        let both = links.enumerated().map { ($1, Array(repeating: $0 % 4 < 3, count: 2)) }
        let expected = Dictionary(uniqueKeysWithValues: both)
        #expect(try statuses(device: phone) == expected)
        #expect(try statuses(device: laptop) == expected)

        // A person who marks it unread has seen that it was read. So it stays unread until it is read again.
        let unread = #"{"link":"\#(links[1])","isRead":false,"readAt":null}"#
        try laptop.must(arguments: "put", "read-status", unread, "--schemas", Self.schemas)
        try sync(laptop, phone)
        #expect(try statuses(device: phone)[links[1]] == [false, false])
        let again = #"{"link":"\#(links[1])","isRead":true,"readAt":"2025-06-01T00:00:00Z"}"#
        try phone.must(arguments: "put", "read-status", again, "--schemas", Self.schemas)
        try sync(phone, laptop)
        #expect(try statuses(device: laptop)[links[1]] == [true, true])
    }
}
