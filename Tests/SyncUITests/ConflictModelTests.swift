import Foundation
import SyncEntities
import SyncUI
import Testing

@testable import EntitySync

/// What a person decides about a conflict.
@Suite(.timeLimit(.minutes(30))) @MainActor struct ConflictModelTests {
    let devices: Devices

    init() throws { devices = try Devices() }

    private func conflict() async throws -> ConflictModel<Bookmark> {
        _ = try await devices.disagree()
        return try await ConflictModel(try #require(try devices.tablet.bookmarks.conflicts().first))
    }

    /// The bookmark that both devices have after a sync.
    private func agreed(on key: RecordKey) async throws -> Bookmark? {
        try await devices.tablet.sync()
        try await devices.phone.sync()
        let marks = try [devices.tablet, devices.phone].map { try $0.bookmarks.find(id: key) }
        #expect(marks[0]?.notes == marks[1]?.notes && marks[0]?.surahName == marks[1]?.surahName)
        return marks[0]
    }

    @Test func onlyTheFieldsThatDifferAreShownSideBySide() async throws {
        let model = try await conflict()
        #expect(Set(model.fields.map(\.name)) == ["surahName", "notes"])
        let notes = try #require(model.fields.first { $0.name == "notes" })
        #expect(notes.local == "of the tablet" && notes.remote == "of the phone" && notes.base == "base")
        #expect(model.fields.first { $0.name == "surahName" }?.title == "Surah name")
        #expect(model.fields.allSatisfy { model.choice(of: $0) == .local } && !model.choosesWholeRecord)
    }

    private func conflict(
        base: Project,
        local: Project,
        remote: Project?,
        isRemoteDeleted: Bool = true
    ) -> SyncConflict<Project> {
        SyncConflict(
            id: RecordKey(base.id),
            base: base,
            local: local,
            remote: remote,
            isLocalDeleted: false,
            isRemoteDeleted: remote == nil && isRemoteDeleted,
            fields: [],
            answered: nil
        )
    }

    @Test func theSheetNamesTheRecordByItsTitleAndShowsWordsInThePersonsFormats() async throws {
        let base = Project(id: "p1", companyId: "c1", title: "Roof", status: .rfq)
        let project = try await devices.phone.projects.insert(base)
        var (mine, theirs) = (project, project)
        (mine.title, mine.allDay, mine.status, mine.duration) = ("New roof", true, .inProgress, 12_345.5)
        theirs.notes = "ask"
        let model = try ConflictModel(conflict(base: project, local: mine, remote: theirs))
        #expect(model.title == "New roof")
        func texts(_ side: ConflictModel<Project>.Side) -> [String: String] {
            Dictionary(
                uniqueKeysWithValues: model.fields.map { field in
                    let text = model.text(
                        of: field,
                        side: side,
                        texts: ConflictTexts(),
                        locale: Locale(identifier: "de_DE"),
                        timeZone: .gmt
                    )
                    return (field.title, text)
                }
            )
        }
        #expect(
            texts(.local) == [
                "Title": "New roof", "All day": "Yes", "Status": "In progress", "Duration": "12.345,5",
                "Notes": "Not set",
            ]
        )
        #expect(
            texts(.remote) == [
                "Title": "Roof", "All day": "No", "Status": "Rfq", "Duration": "Not set", "Notes": "ask",
            ]
        )
        let whole = try ConflictModel(conflict(base: project, local: mine, remote: nil))
        let field = try #require(whole.fields.first)
        let english = Locale(identifier: "en_US")
        #expect(
            whole.text(of: field, side: .remote, texts: ConflictTexts(), locale: english, timeZone: .gmt)
                == "Deleted"
        )
    }

    @Test func aFieldOfEachSideMakesTheRecordThatBothDevicesGet() async throws {
        let model = try await conflict()
        let notes = try #require(model.fields.first { $0.name == "notes" })
        model.choose(.remote, for: notes)
        #expect(try model.merged()?.notes == "of the phone")
        #expect(model.resolve(in: devices.tablet) && model.isResolved && model.error == nil)
        let mark = try await agreed(on: model.id)
        #expect(mark?.notes == "of the phone" && mark?.surahName == "Heifer")
    }

    @Test(arguments: [ConflictModel<Bookmark>.Side.local, .remote])
    func oneSideAsAWholeWinsOnBothDevices(side: ConflictModel<Bookmark>.Side) async throws {
        let model = try await conflict()
        model.chooseAll(side)
        #expect(model.resolve(in: devices.tablet))
        let mark = try await agreed(on: model.id)
        #expect(mark?.notes == (side == .local ? "of the tablet" : "of the phone"))
        #expect(mark?.surahName == (side == .local ? "Heifer" : "Cow"))
    }

    @Test(arguments: [ConflictModel<Bookmark>.Side.local, .remote])
    func aDeleteAgainstAnEditIsDecidedAsAWhole(side: ConflictModel<Bookmark>.Side) async throws {
        let mark = try await devices.phone.bookmarks.insert(.verse(1, notes: "base"))
        try await devices.phone.sync()
        try await devices.tablet.sync()
        var edited = mark
        edited.notes = "of the phone"
        try await devices.phone.bookmarks.update(edited)
        try await devices.tablet.bookmarks.delete(mark.id)
        try await devices.phone.sync()
        try await devices.tablet.sync()
        let model = try await ConflictModel(try #require(try devices.tablet.bookmarks.conflicts().first))
        #expect(model.choosesWholeRecord && model.conflict.local == nil)
        let notes = try #require(model.fields.first { $0.name == "notes" })
        #expect(notes.local == nil && notes.remote == "of the phone")
        model.choose(side, for: notes)
        #expect(try (model.merged() == nil) == (side == .local))
        #expect(model.resolve(in: devices.tablet))
        #expect(try await agreed(on: model.id)?.notes == (side == .local ? nil : "of the phone"))
    }

    @Test func aConflictThatWasResolvedElsewhereIsAnErrorInWords() async throws {
        let model = try await conflict()
        try await devices.tablet.bookmarks.resolve(model.conflict, with: .remote)
        #expect(!model.resolve(in: devices.tablet))
        #expect(!model.isResolved && model.error?.kind == .notFound)
    }
}
