import Foundation
import SyncChecks
import SyncEntities
import Testing

/// What is left of 10,000 worlds is known, so that a change of the code that shall not change behaviour can be shown not to.
///
/// All of them take minutes in a release build, and are compared and recorded by
/// `swift run -c release synccheck simulate --digests --seed 0 --runs 10000`. Here some are played.
@Suite struct WorldDigestTests {
    private static let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("Golden/worlds.txt")

    @Test func worldsLeaveWhatTheyLeftBefore() async throws {
        let known = try String(contentsOf: Self.file, encoding: .utf8).split(separator: "\n").map(String.init)
        try #require(known.count == 100)
        let simulator = Simulator(entities: SyncRegistry.descriptors)
        let seeds = UInt64(4200)..<4300
        let digest = await WorldDigest(of: seeds, simulator: simulator)
        #expect(digest.broken == nil)
        let before = known[42].split(separator: " ").map(String.init)
        let now = digest.line.split(separator: " ").map(String.init)
        #expect(before[0] == now[0])
        #expect(before[1] == now[1], "The worlds of seeds \(seeds) leave something else.")
        #expect(before[2] == now[2], "They go otherwise: say why, and record all of them anew.")
    }
}
