import Foundation
import ProgramRuns
import Testing

@Suite struct DeviceTests {
    @Test func listsWhatCouldNotBeTakenInAndWhy() throws {
        let scratch = try Scratch()
        let (phone, laptop) = (scratch.device(name: "phone"), scratch.device(name: "laptop"))
        try phone.must(
            arguments: "put",
            "note",
            #"{"title":"a title that an older schema would not allow"}"#.replacing(
                "would not allow",
                with: "has"
            )
        )
        try phone.sync()
        for (name, text) in SampleSchemas.all {
            try scratch.write(
                "Strict/\(name).schema.json",
                text: text.replacing("\"maxLength\": 40", with: "\"maxLength\": 5")
            )
        }
        let sync = try laptop.run(arguments: "sync", "--remote", "shared", "--schemas", "Strict")
        #expect(sync.exitCode == 1)
        #expect(sync.output.hasPrefix("partial\n"))
        let rejected = try objects(text: laptop.must(arguments: "rejected", "--json", "--schemas", "Strict"))
        try #require(rejected.count == 1)
        #expect(
            Set(rejected[0].keys) == [
                "entity", "key", "reason", "attempts", "local", "code", "side", "since",
            ]
        )
        #expect(rejected[0]["entity"] as? String == "note")
        #expect((rejected[0]["reason"] as? String)?.contains("'title'") == true)
        #expect(try laptop.must(arguments: "rejected", "--schemas", "Strict").contains("not taken in since"))
        #expect(rejected[0]["side"] as? String == "remote")
        let export = try object(text: laptop.must(arguments: "rejected", "export", "--schemas", "Strict"))
        #expect(export["raw"] is [String: Any], "what came is kept as it came")
        // It stays, and every sync tries it again.
        let again = try laptop.run(arguments: "sync", "--remote", "shared", "--rejoin", "--schemas", "Strict")
        #expect(again.exitCode == 1)
        let later = try objects(text: laptop.must(arguments: "rejected", "--json", "--schemas", "Strict"))
        #expect(later.map { $0["attempts"] as? Int } == [2])
        #expect(later.map { $0["since"] as? String } == [rejected[0]["since"] as? String])
        #expect(later.map { $0["reason"] as? String } == [rejected[0]["reason"] as? String])
        let doctor = try laptop.run(arguments: "doctor", "--schemas", "Strict")
        #expect(doctor.exitCode == 1)
        #expect(
            doctor.output.contains(
                "- 1 rejected\n  next: see why with 'synccheck rejected --schemas Strict --store laptop.sqlite'"
            )
        )
        try laptop.sync()
        #expect(try laptop.must(arguments: "rejected", "--json") == "[]\n")
        #expect(try laptop.must(arguments: "export", "note") == phone.must(arguments: "export", "note"))
    }

    @Test func retiresADeviceByNameOrId() throws {
        let scratch = try Scratch()
        let (phone, laptop) = (scratch.device(name: "phone"), scratch.device(name: "laptop"))
        try phone.must(arguments: "sync", "--remote", "shared", "--device", "old phone")
        try laptop.must(arguments: "sync", "--remote", "shared", "--device", "laptop")
        let id = try #require(
            try object(text: phone.must(arguments: "status", "--json"))["device"] as? String
        )
        #expect(try laptop.must(arguments: "retire", "old phone").trimmed == id)
        #expect(try laptop.must(arguments: "retire", id, "--remote", "shared").trimmed == id)
        let unknown = try laptop.run(arguments: "retire", "0011223344556677")
        #expect(unknown.exitCode == 1)
        #expect(unknown.error.contains("\(id) (old phone)"))
        let own = try #require(
            try object(text: laptop.must(arguments: "status", "--json"))["device"] as? String
        )
        #expect(try laptop.run(arguments: "retire", own).exitCode == 64)
    }

    @Test func doctorNamesTheDevicesOfAFolderAndHowFarEachIs() throws {
        let scratch = try Scratch()
        let (phone, laptop) = (scratch.device(name: "phone"), scratch.device(name: "laptop"))
        try phone.must(arguments: "put", "note", #"{"title":"a"}"#)
        #expect(try !phone.must(arguments: "doctor").contains("devices"))
        func sync(_ device: ScratchDevice, as name: String) throws {
            try device.must(arguments: "sync", "--remote", "shared", "--device", name)
        }
        try sync(phone, as: "Anna's phone")
        try sync(laptop, as: "laptop\u{1B}[2J")
        for title in ["b", "c"] {
            try laptop.must(arguments: "put", "note", #"{"title":"\#(title)"}"#)
            try sync(laptop, as: "laptop\u{1B}[2J")
        }
        let report = try object(text: laptop.must(arguments: "doctor", "--json"))
        let devices = try #require(report["devices"] as? [[String: Any]])
        #expect(devices.map { $0["own"] as? Bool } == [true, false])
        #expect(devices.map { $0["behind"] as? Int } == [0, 2])
        #expect(devices.map { $0["retired"] as? Bool } == [false, false])
        let ids = devices.compactMap { ($0["device"] as? String)?.prefix(8) }
        try #require(ids.count == 2)
        let text = try laptop.must(arguments: "doctor")
        #expect(text.contains("  'Anna's phone' (\(ids[1])…): last synced 2"))
        #expect(text.contains("Z, 2 pushes behind\n"))
        #expect(text.contains("  'laptop\\u{1b}[2J' (\(ids[0])…), this one: last synced 2"))
        try sync(phone, as: "Anna's phone")
        #expect(
            try phone.must(arguments: "doctor").contains(
                "'Anna's phone' (\(ids[1])…), this one: last synced 2"
            )
        )
        #expect(try !phone.must(arguments: "doctor").contains("behind"))
        try phone.sync()
        #expect(
            try phone.must(arguments: "doctor").contains("'Anna's phone'"),
            "the name that was given last"
        )
        try laptop.must(arguments: "retire", "Anna's phone")
        #expect(try laptop.must(arguments: "doctor").contains("'Anna's phone' (\(ids[1])…): retired\n"))
        #expect(try !laptop.must(arguments: "status").contains("Anna"))
    }

    @Test func doctorGoesOnWithoutTheFolder() throws {
        let scratch = try Scratch()
        let phone = scratch.device(name: "phone")
        try phone.sync()
        try FileManager.default.removeItem(at: scratch.folder.appendingPathComponent("shared"))
        #expect(try phone.must(arguments: "doctor").contains("All is well"))
        #expect(!FileManager.default.fileExists(atPath: scratch.folder.path + "/shared"))
    }
}
