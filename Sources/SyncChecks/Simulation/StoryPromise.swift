/// The promises of a world as sentences.
public enum StoryPromise {
    /// The sentence for a promise, by its stable id.
    public static func sentence(rule: String) -> String {
        sentences[rule] ?? "A promise of the test that ran this world."
    }

    private static let sentences = [
        "nothing-lost":
            "What a person wrote is shown, in a conflict, rejected with a reason or in the journal until somebody replaces it.",
        "durable-at-once": "A write that returned is on the disk and can be read again.",
        "accounts-apart": "No account ever shows what belongs to another one.",
        "starts-again": "The app starts again whatever happened to its machine.",
        "syncs-again": "Once nothing is wrong any more, every device can sync.",
        "comes-to-rest": "Devices that only sync come to rest.",
        "same-everywhere": "Devices at rest hold the same records.",
        "difference-is-true": "Devices that show the same do not report that they differ.",
        "outbox-empties": "What was written is sent, or a person learns why not.",
        "idle-is-free": "A sync with nothing to do moves nothing and asks once.",
        "requests-bounded": "A sync asks a remote as often as what it moves calls for.",
        "size-bounded": "Stores and folders grow with what they hold, not with each sync.",
        "one-of-each": "No two records share values that must be unique.",
        "deletes-stay": "A deleted record comes back only by an edit that did not know of the delete.",
        "decisions-hold": "A conflict that a person has resolved does not come back by itself.",
        "no-surprise": "Nothing fails in a way that nobody expects.",
        "not-deterministic": "One seed makes one world: played twice, it goes the same way.",
        "one-plan": "The same versions come to the same plan, in whatever order they are looked at.",
        "repeats-change-nothing": "A version that comes once more changes nothing.",
        "keeps-what-it-saw": "What a device keeps has seen all that it took in.",
        "stays-here": "A field that stays on its device is changed by nobody else.",
        "shown-until-decided":
            "Where a person decides, an edit is shown where it was made until somebody has decided.",
        "fits-schema": "No automatic decision breaks what a schema asks for.",
        "merge-law": "Versions meet to the same record on every device, in every order.",
        "round-trip": "A record is the same after the way through a store or over the wire.",
    ]
}
