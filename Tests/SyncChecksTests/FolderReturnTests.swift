import SyncCore
import SyncFileBackend
import SyncRuntime
import Testing

@testable import SyncChecks

/// Deleted records whose tombstones were collected in a folder, and devices that may have missed them.
extension FolderStoryTests {
    // MARK: Conflicts

    @Test func theOtherSideOfAConflictIsKeptWhereOnlyTheConflictHadIt() async throws {
        let (story, a, b) = try await pair(strategy: .preserveLocal)
        a.backUp()
        try story.write("by B", in: "n1", on: b)
        try story.write("by A", in: "n1", on: a)
        try await story.meet(a)
        try await story.meet(b)
        #expect(try b.conflicts().count == 1)
        story.lose { _ in true }
        try a.putBack(a.backUps[0], withFolder: false)
        for device in [a, b] { try await story.meet(device, rejoins: true) }
        try await story.meetAll()
        #expect(try story.found(device: a).union(story.found(device: b)).isSuperset(of: ["by A", "by B"]))
    }

    @Test func whatTheFolderHasLostOfAConflictOfOthersIsPublishedOnce() async throws {
        let story = try FolderStory(names: "A", "B", "C", strategy: .preserveLocal)
        let (a, b, c) = (story.devices[0], story.devices[1], story.devices[2])
        try story.write("first", in: "n1", on: b)
        try await story.meetAll(2)
        try story.write("by B", in: "n1", on: b)
        try await story.sync(b)
        try story.delete("n1", on: a)
        try await story.meetAll(2)
        let id = try #require(a.id?.description)
        a.isGone = true
        story.lose { $0.contains(id) }
        try await story.meetAll(3)
        let reports = try await story.meetAll(1)
        #expect(reports.flatMap(\.entities).allSatisfy { $0.pushed == 0 })
        #expect(try c.status().pending == 0)
        #expect(try b.conflicts().count == 1)
    }

    @Test func aJoinThatIsBrokenOffAnywhereLeavesNothingUnsent() async throws {
        var hasFailed = false
        for step in 1...80 {
            let (story, a, b) = try await pair()
            try story.write("by B", in: "n2", on: b)
            try await story.meetAll()
            story.lose { _ in true }
            a.isGone = true
            b.disk.crash(at: step)
            do { try await story.sync(b, rejoins: true) } catch { hasFailed = true }
            try b.restart(keeping: .everything)
            do { try await story.sync(b) } catch let error as SyncError where error.kind == .wrongRemote {
                try await story.sync(b, rejoins: true)
            }
            try await story.meetAll(2)
            #expect(try await story.newcomer()["n2"] == "by B", "broken off at step \(step)")
        }
        #expect(hasFailed)
    }

    /// Writes and deletes notes, and collects the tombstones once all devices that are not retired have them.
    private func tidy(story: FolderStory, devices: [OutsideDevice], rounds: Int = 4) async throws {
        for round in 0..<rounds {
            for device in devices {
                try story.write("round \(round)", in: "work of \(device.name)", on: device)
                try await story.meet(device)
            }
        }
    }

    @Test func aRetiredDeviceThatComesBackIsToldAndHoldsWhatTheOthersHold() async throws {
        let (story, a, b) = try await pair()
        let c = try story.add("C")
        for number in 2...5 { try story.write("\(number)", in: "n\(number)", on: a) }
        try await story.meetAll(3)
        let old = try #require(c.id)
        try await story.world.folderBackend(device: b).retire(old, by: try #require(b.id))
        story.travel(b)
        for number in 2...4 { try story.delete("n\(number)", on: a) }
        try await story.meetAll(2, but: c)
        try await tidy(story: story, devices: [a, b])
        #expect(!story.world.cloud.values.contains { String(decoding: $0, as: UTF8.self).contains("\"n3\"") })
        try story.write("never sent", in: "n9", on: c)
        let report = try await story.meet(c)
        #expect(report.outcome == .partial)
        #expect(
            report.diagnostics.contains { $0.rule == "retired-device" && $0.message.contains("joined anew") }
        )
        #expect(try !c.status().isInSync)
        #expect(c.id != old)
        let reports = try await story.meetAll(2)
        #expect(reports.allSatisfy { $0.outcome == .synced }, "\(reports.map(\.rules))")
        let expected = [
            "n1": "first", "n5": "5", "n9": "never sent", "work of A": "round 3", "work of B": "round 3",
        ]
        try await expectSame(story, expected: expected)
        #expect(try c.status().isInSync)
    }

    @Test func aNewcomerWhoseFilesWereOnTheirWayComparesOnceTombstonesWereDropped() async throws {
        let (story, a, b) = try await pair()
        for number in 2...4 { try story.write("\(number)", in: "n\(number)", on: a) }
        try await story.meetAll(2)
        // C receives everything, but its acknowledgement reaches nobody.
        let c = try story.add("C")
        story.travel(c)
        try await story.sync(c)
        #expect(try story.texts(device: c).count == 4)
        for number in 2...4 { try story.delete("n\(number)", on: a) }
        try await story.meetAll(2, but: c)
        try await tidy(story: story, devices: [a, b])
        #expect(!story.world.cloud.values.contains { String(decoding: $0, as: UTF8.self).contains("\"n3\"") })
        try story.write("never sent", in: "n9", on: c)
        try await story.meetAll(3)
        let expected = ["n1": "first", "n9": "never sent", "work of A": "round 3", "work of B": "round 3"]
        try await expectSame(story, expected: expected)
    }

    @Test func aNewcomerWaitsToCompareUntilAllThatOthersTellOfIsThere() async throws {
        let (story, a, b) = try await pair()
        for number in 2...3 { try story.write("\(number)", in: "n\(number)", on: a) }
        try await story.meetAll(2)
        let c = try story.add("C")
        story.travel(c)
        try await story.sync(c)
        for number in 2...3 { try story.delete("n\(number)", on: a) }
        try await story.meetAll(2, but: c)
        try await tidy(story: story, devices: [a, b])
        let id = try #require(a.id?.description)
        let other = try #require(b.id?.description)
        story.travel(c, only: id, other + "/device.json")
        let report = try await story.sync(c)
        #expect(report.rules.contains("waits-to-compare"))
        #expect(report.outcome == .partial)
        #expect(try story.texts(device: c)["n2"] == "2", "nothing is taken away yet")
        try await story.meetAll(3)
        try await expectSame(story)
        #expect(try story.texts(device: c)["n2"] == nil)
    }

    /// A collected tombstone is needed again for an edit that had not seen it.
    @Test func aDeleteThatWasForgottenByTheFolderHoldsAgainstALateEdit() async throws {
        let (story, a, b) = try await pair()
        let c = try story.add("C")
        story.travel(c)
        try await story.sync(c)
        try story.write("a late edit", in: "n1", on: c)
        try await story.sync(c)
        try story.delete("n1", on: a)
        try await story.meetAll(2, but: c)
        try await tidy(story: story, devices: [a, b])
        try await story.meetAll(4)
        try await expectSame(story, expected: ["work of A": "round 3", "work of B": "round 3"])
        #expect(try a.status().isInSync && b.status().isInSync && c.status().isInSync)
    }

    @Test func aLateEditOfARetiredDeviceIsAskedAboutAlthoughTheFolderForgotTheDelete() async throws {
        let (story, a, b) = try await pair(strategy: .preserveLocal)
        let c = try story.add("C")
        try await story.meetAll(2)
        try await story.world.folderBackend(device: b).retire(try #require(c.id), by: try #require(b.id))
        story.travel(b)
        try story.write("a late edit", in: "n1", on: c)
        try story.delete("n1", on: a)
        try await story.meetAll(2, but: c)
        try await tidy(story: story, devices: [a, b])
        #expect(!story.world.cloud.values.contains { String(decoding: $0, as: UTF8.self).contains("\"n1\"") })
        // Its copy of the folder does not say yet that the device was retired.
        try await story.sync(c)
        let reports = try await story.meetAll(4)
        #expect(reports.allSatisfy { !$0.rules.contains("records-differ") }, "\(reports.map(\.rules))")
        #expect(try story.texts(device: a)["n1"] == nil && story.texts(device: b)["n1"] == nil)
        #expect(try c.conflicts().map(\.place.key.text) == ["n1"])
        #expect(try story.found(device: c).contains("a late edit"))
    }
}
