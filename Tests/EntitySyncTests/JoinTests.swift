import EntitySync
import SyncCore
import Testing

/// Conditions along references in lists and by several fields, found by what the other record says or by the reference.
@Suite struct JoinTests {
    typealias Fields = Club.Fields

    let scratch: Scratch
    let space: SyncSpace

    init() throws {
        scratch = try Scratch()
        space = try SyncSpace.open(
            SpaceConfiguration(
                folder: scratch.path + "/clubs",
                entities: [Member.self, Meeting.self, Club.self]
            )
        )
        for (id, name, city) in [("m1", "Ann", "Rome"), ("m2", "Ben", "Oslo"), ("m3", "Cyd", "Oslo")] {
            try members.insert(Member(id: id, name: name, city: city))
        }
        for (hall, hour, topic) in [("blue", 9, "chess"), ("blue", 10, "cards"), ("red", 9, "go")] {
            try meetings.insert(Meeting(hall: hall, hour: hour, topic: topic, seats: hour))
        }
        try clubs.insert(Club(id: "a", motto: "x", memberIds: ["m1", "m2"], hall: "blue", hour: 9))
        try clubs.insert(
            Club(id: "b", motto: "y", memberIds: ["m2", "m3"], guestIds: ["m1"], hall: "blue", hour: 10)
        )
        try clubs.insert(Club(id: "c", motto: "z"))
    }

    private var members: SyncCollection<Member> { space.collection(Member.self) }
    private var meetings: SyncCollection<Meeting> { space.collection(Meeting.self) }
    private var clubs: SyncCollection<Club> { space.collection(Club.self) }

    private func clubs(_ condition: FieldCondition<Club>, scanning: Bool = false) throws -> [String] {
        try clubs.query { scanning ? $0.filter(condition).allowingScan() : $0.filter(condition) }.map(\.id)
    }

    @Test func aListLeadsToWhatItNames() throws {
        #expect(try clubs(Fields.memberIds.refers(to: Member.Fields.name == "Ann")) == ["a"])
        #expect(try clubs(Fields.memberIds.refers(to: Member.Fields.name == "Ben")) == ["a", "b"])
        #expect(
            try clubs(Fields.guestIds.refers(to: Member.Fields.name == "Ann")) == ["b"],
            "a list that may be null"
        )
        #expect(
            try clubs(Fields.memberIds.refers(to: Member.Fields.city == "Oslo"), scanning: true) == [
                "a", "b",
            ]
        )
        #expect(
            try clubs(Fields.motto == "x" && Fields.memberIds.refers(to: Member.Fields.city == "Oslo")) == [
                "a"
            ]
        )
        try members.delete("m2")
        #expect(try clubs(Fields.memberIds.refers(to: Member.Fields.name == "Ben")) == [])
    }

    @Test func whoIsInAListIsFoundByWhatTheListsRecordSays() throws {
        func names(_ condition: FieldCondition<Member>, scanning: Bool = false) throws -> [String] {
            try members.query { scanning ? $0.filter(condition).allowingScan() : $0.filter(condition) }.map(
                \.name
            )
        }
        #expect(try names(Fields.memberIds.isReference(where: Fields.motto == "x")) == ["Ann", "Ben"])
        #expect(try names(Fields.guestIds.isReference(where: Fields.motto == "y")) == ["Ann"])
        #expect(try names(!Fields.memberIds.isReference(), scanning: true) == [])
        try clubs.delete("b")
        #expect(try names(!Fields.memberIds.isReference(), scanning: true) == ["Cyd"])
    }

    @Test func severalFieldsLeadToOneRecord() throws {
        let chess = Fields.hall.refersByAllFields(to: Meeting.Fields.topic == "chess")
        #expect(try clubs(chess) == ["a"])
        let late = Fields.hall.refersByAllFields(to: Meeting.Fields.seats == 10)
        #expect(try clubs(late, scanning: true) == ["b"])
        func topics(_ condition: FieldCondition<Meeting>, scanning: Bool = false) throws -> [String] {
            try meetings.query { scanning ? $0.filter(condition).allowingScan() : $0.filter(condition) }.map(
                \.topic
            )
        }
        #expect(try topics(Fields.hall.isReferenceByAllFields(where: Fields.motto == "y")) == ["cards"])
        #expect(try topics(!Fields.hall.isReferenceByAllFields(), scanning: true) == ["go"])
    }

    @Test func aFieldThatIsNoReferenceIsAnErrorThatNamesIt() {
        #expect {
            try clubs(Fields.motto.refersByAllFields(to: Meeting.Fields.topic == "chess"))
        } throws: { ($0 as? SyncError)?.message.contains("motto") == true }
    }

    @Test func aJoinAlongAListIsToldOfAnotherName() async throws {
        let observed = clubs.observe(
            SyncQuery().filter(Fields.memberIds.refers(to: Member.Fields.name == "Dan"))
        )
        var results = observed.makeAsyncIterator()
        #expect(try await results.next()?.map(\.id) == [])
        try await members.update(Member(id: "m3", name: "Dan", city: "Oslo"))
        #expect(try await results.next()?.map(\.id) == ["b"])
        try await members.delete("m3")
        #expect(try await results.next()?.map(\.id) == [])
    }

    @Test func aJoinAlongSeveralFieldsIsToldOfAnotherTopic() async throws {
        let go = Fields.hall.refersByAllFields(to: Meeting.Fields.topic == "go")
        var results = clubs.observe(SyncQuery().filter(go)).makeAsyncIterator()
        #expect(try await results.next()?.map(\.id) == [])
        try await meetings.update(Meeting(hall: "blue", hour: 10, topic: "go", seats: 1))
        #expect(try await results.next()?.map(\.id) == ["b"])
    }
}
