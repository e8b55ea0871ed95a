/// What an outside world is held to. Each promise can be left out by its name.
public enum OutsidePromise: String, Sendable, Hashable, CaseIterable {
    /// Every value that a person wrote, and that nobody gave up, can be found.
    case wordsFound = "words-found"
    /// What a person gave up by deciding can be found, in the journal above all.
    case decisionsKept = "decisions-kept"
    /// A conflict holds up only the parts of a record that are in conflict.
    case fieldsFlow = "fields-flow"
    /// A number that lost by its field's rule lost to a value by which the rule decides so.
    case ruleDecides = "rule-decides"
    /// A version that a person was not shown does not give way to their decision on another one.
    case shownIsResolved = "shown-is-resolved"
    /// An edit that no rule forbids is accepted.
    case editsAccepted = "edits-accepted"
    /// A record that the server cannot take holds up no other.
    case othersFlow = "others-flow"
    /// A write that returned is shown.
    case writesShow = "writes-show"
    /// At rest every sync succeeds.
    case syncsSucceed = "syncs-succeed"
    /// At rest nothing waits to be sent.
    case nothingPending = "nothing-pending"
    /// A further round of syncs moves nothing.
    case comesToRest = "comes-to-rest"
    /// At rest all devices export the same records, those marked in conflict excepted.
    case sameEverywhere = "same-everywhere"
    /// The same for records that share unique values with one that a person has to decide on.
    case sameBesideConflicts = "same-beside-conflicts"
    /// A fresh device gets what the others hold.
    case newcomerSame = "newcomer-same"
    /// A device that differs from others does not say that it is in sync.
    case inSyncIsTrue = "in-sync-is-true"
    /// No device of a server is told that it differs from others, as nobody writes behind the engine.
    case noDifference = "no-difference"
    /// No two live records share the values of the first unique list.
    case oneOfEach = "one-of-each"
    /// No reference names a record that was merged into another.
    case referencesMove = "references-move"
    /// No reference names a record that is not there.
    case referencesStand = "references-stand"
    /// A deleted record comes back only by an edit that its delete had not seen.
    case deletesStay = "deletes-stay"
    /// Nothing fails in a way that nobody expects.
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
        case .sameBesideConflicts: "The same, where unique values lead to a record that waits for a person."
        case .newcomerSame: "A device that joins at rest gets what the others hold."
        case .inSyncIsTrue: "No device says that it is in sync while it differs from another one."
        case .noDifference:
            "Where only the engine writes into stores, a server tells no device that it differs from another one."
        case .oneOfEach: "No two live records share values that must be unique."
        case .referencesMove: "References to a merged record are references to its survivor."
        case .referencesStand: "A live record refers to a live record, or is marked in conflict."
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
