/// The promises that outside worlds check. Each can be disabled by name.
public enum OutsidePromise: String, Sendable, Hashable, CaseIterable {
    /// Every value that a person wrote and nobody gave up can be found.
    case wordsFound = "words-found"
    /// Every value that a person gave up in a decision can be found, usually in the journal.
    case decisionsKept = "decisions-kept"
    /// A conflict blocks only the conflicting parts of a record.
    case fieldsFlow = "fields-flow"
    /// A number that lost by its field's rule lost to a value that the rule prefers.
    case ruleDecides = "rule-decides"
    /// A version that a person was not shown is not replaced by their decision on another one.
    case shownIsResolved = "shown-is-resolved"
    /// An edit that no rule forbids is accepted.
    case editsAccepted = "edits-accepted"
    /// A record that the server cannot store does not block others.
    case othersFlow = "others-flow"
    /// A completed write is shown.
    case writesShow = "writes-show"
    /// At rest, every sync succeeds.
    case syncsSucceed = "syncs-succeed"
    /// At rest, nothing is pending.
    case nothingPending = "nothing-pending"
    /// At rest, another round of syncs changes nothing.
    case comesToRest = "comes-to-rest"
    /// At rest, all devices export the same records, except those in conflict.
    case sameEverywhere = "same-everywhere"
    /// The same for records that share unique values with a record in conflict.
    case sameNextToConflicts = "same-conflicting-conflicts"
    /// A new device gets the same records as the others.
    case newcomerSame = "newcomer-same"
    /// A device that differs from others does not report that it is in sync.
    case inSyncIsTrue = "in-sync-is-true"
    /// No device of a server reports a difference to others, because nobody writes behind the engine.
    case noDifference = "no-difference"
    /// No two live records share the values of the first `unique` list.
    case oneOfEach = "one-of-each"
    /// No reference names a record that was merged into another one.
    case referencesMove = "references-move"
    /// No reference names a missing record.
    case referencesStand = "references-stand"
    /// A reference that a person set leads to its record while both live, unless somebody changed it.
    case referencesReturn = "references-return"
    /// No record of a tree is below itself.
    case treesStand = "trees-stand"
    /// A record that a person moved does not go with its former parent without a journal entry.
    case movesStay = "moves-stay"
    /// No value that an app brought along stands where a person wrote one.
    case seedsGiveWay = "seeds-give-way"
    /// A deleted record reappears only by an edit that its delete had not seen.
    case deletesStay = "deletes-stay"
    /// No operation fails unexpectedly.
    case noSurprise = "no-surprise"

    /// The promise in one sentence.
    public var sentence: String {
        switch self {
        case .wordsFound:
            "What a person wrote and nobody gave up is in a record, a conflict, rejected, in the journal or at the remote."
        case .decisionsKept:
            "What a person gave up by resolving or discarding can still be found in the journal."
        case .fieldsFlow: "Parts of a record that are not in conflict merge at once, and stay merged."
        case .ruleDecides: "A number gives way only to a value by which its field's rule decides so."
        case .shownIsResolved: "A decision replaces only the version that the person was shown."
        case .editsAccepted:
            "An edit of a shown record that touches no unique value and no reference is accepted."
        case .othersFlow: "Whatever one record does, all others flow on around it."
        case .writesShow: "A write that returned is shown on the device where it was made."
        case .syncsSucceed: "Once nothing is wrong any more, every sync succeeds."
        case .nothingPending: "Three rounds of sync leave nothing waiting."
        case .comesToRest:
            "Devices that only sync come to rest: after three rounds a further one moves nothing."
        case .sameEverywhere: "Devices at rest export the same records, or mark one in conflict."
        case .sameNextToConflicts: "The same, where unique values lead to a record that waits for a person."
        case .newcomerSame: "A device that joins at rest gets what the others hold."
        case .inSyncIsTrue: "No device says that it is in sync while it differs from another one."
        case .noDifference:
            "Where only the engine writes into stores, a server reports to no device that it differs from another one."
        case .oneOfEach: "No two live records share values that must be unique."
        case .referencesMove: "References to a merged record are references to its survivor."
        case .referencesStand: "A live record refers to a live record, or is marked in conflict."
        case .referencesReturn: "A reference that a person set stands while its record lives."
        case .treesStand: "No record of a tree is below itself."
        case .movesStay: "A record that was moved goes with its former parent only where the journal tells."
        case .seedsGiveWay: "A value that an app brought along gives way to any that a person wrote."
        case .deletesStay: "A deleted record comes back only by an edit that did not know of the delete."
        case .noSurprise: "Nothing fails in a way that nobody expects."
        }
    }
}

extension StoryViolation {
    init(promise: OutsidePromise, description: String) {
        self.init(rule: promise.rawValue, description: description)
    }
}
