import SyncChecks
import SyncCore
import SyncRuntime
import Testing

/// A person whom a team needs, with a name that another record takes meanwhile.
@Suite struct MemberStoryTests {
    @Test func aRecordThatIsBroughtBackAndLosesItsNameMeanwhileEndsAlikeEverywhere() async throws {
        let set = try #require(OutsideSchemas.relations.first { $0.name == "members-restrict" })
        let (person, team) = (set.entities[0], set.entities[1])
        try await withWorld(count: 3, entities: person, team, place: .folders) { world in
            let (a, b, c) = (world.devices[0], world.devices[1], world.devices[2])
            try b.put(entity: person, json: #"{"id":"r1","name":"name-3","note":"B1"}"#)
            try await world.converge()
            for d in world.devices { d.clock.advance(seconds: 10) }
            try b.delete(entity: person, key: "r1")
            for d in world.devices { d.clock.advance(seconds: 10) }
            try c.put(entity: person, json: #"{"id":"r1","name":null,"note":"C2"}"#)
            try await world.sync(1)
            try await world.sync(2)
            for d in world.devices { d.clock.advance(seconds: 10) }
            try b.put(entity: person, json: #"{"id":"l2","name":"name-3","note":"B3"}"#)
            for d in world.devices { d.clock.advance(seconds: 10) }
            try a.put(
                entity: team,
                json: #"{"id":"a3","members":["r1"],"readers":["r1"],"name":"name-3","note":"A4"}"#
            )
            try world.deliver(from: 1, to: 0)
            try await world.sync(0)
            try world.deliver(from: 0, to: 1)
            try await world.sync(1)
            for from in [0, 1] { try world.deliver(from: from, to: 2) }
            try await world.sync(2)
            try await world.converge()
            for entity in [person, team] {
                let exports = try world.devices.map { try $0.export(entity: entity, includeHidden: true) }
                #expect(exports.allSatisfy { $0 == exports[0] })
            }
            let kept = try world.devices.flatMap { try $0.journal() }.contains {
                $0.lost.record.values.contains(.text("C2"))
            }
            #expect(kept, "the edit that lost can be brought back")
        }
    }
}
