import SyncCore

/// A record, by entity and key.
struct RecordPlace: Hashable, Comparable, CustomStringConvertible {
    var entity: String
    var key: RecordKey

    var description: String { "\(entity) \(key.text)" }

    static func < (left: Self, right: Self) -> Bool {
        left.entity == right.entity ? left.key < right.key : left.entity < right.entity
    }
}

/// What people wrote in a world and what they gave up, told from their screens alone: from what a device displayed before
/// and after they acted on it. Every value is a word that nobody used before. The ledger never asks what the product
/// notes about versions.
struct PersonLedger {
    /// A value that a person wrote.
    struct Word {
        var text: String
        var place: RecordPlace
        var field: String
        /// The field's own merge rule.
        var rule: MergeRule?
        var device: String
        var step: Int
        var fate = Fate.standing
        /// Whose it was, and what had become of it, before a person wrote it once more.
        var earlier: (device: String, fate: Fate)?
    }

    /// What became of a word.
    enum Fate: Equatable {
        /// It must be found.
        case standing
        /// A person overwrote or deleted it where it was displayed.
        case givenUp
        /// A person decided against it, having been shown it.
        case decided(step: Int)
        /// A person decided against another version, and this one gave way.
        case swapped(step: Int)
        /// The only medium that held it was lost.
        case destroyed
    }

    /// A person's delete.
    struct Delete {
        var place: RecordPlace
        var device: Int
        var step: Int
        /// What was displayed of the record then.
        var shown: Set<String>
        /// Writes of anybody to the record until then, by number.
        var writes: Int
        /// Whether somebody had written something to the record that was not displayed there.
        var hadUnseen: Bool
        var isPublished = false
    }

    private(set) var words: [String: Word] = [:]
    /// The words in the order in which they were written.
    private(set) var order: [String] = []
    var deletes: [Delete] = []
    /// Who wrote to a record, and whether with a word.
    private(set) var writes: [RecordPlace: [(device: Int, hasWord: Bool)]] = [:]

    /// Notes that a person wrote words, new ones or again.
    mutating func say(
        _ said: [(field: FieldDescriptor, word: String)],
        place: RecordPlace,
        device: String,
        step: Int
    ) {
        for (field, text) in said {
            if let word = words[text] {
                if word.device != device || word.fate != .standing {
                    words[text]?.earlier = word.earlier ?? (word.device, word.fate)
                }
                words[text]?.fate = .standing
                words[text]?.step = step
                words[text]?.device = device
                continue
            }
            words[text] = Word(
                text: text,
                place: place,
                field: field.name,
                rule: field.merge,
                device: device,
                step: step
            )
            order.append(text)
        }
    }

    /// Notes that a medium was lost, or given up, on which a person had written words of others once more.
    mutating func takeBackRepeats(by device: String) {
        for text in order where words[text]?.device == device {
            guard let earlier = words[text]?.earlier else { continue }
            words[text]?.device = earlier.device
            words[text]?.fate = earlier.fate
            words[text]?.earlier = nil
        }
    }

    /// Whether a person at a device wrote one of some words, which stand.
    func hasStanding(texts: Set<String>, by device: String) -> Bool {
        texts.contains { words[$0]?.device == device && words[$0]?.fate == .standing }
    }

    /// Notes that words that a person displayed again stand anew.
    mutating func sayAgain(_ texts: Set<String>) {
        for text in texts { words[text]?.fate = .standing }
    }

    /// Notes that a person wrote to a record.
    mutating func noteWrite(_ place: RecordPlace, by device: Int, hasWord: Bool = false) {
        writes[place, default: []].append((device, hasWord))
    }

    /// How often a person at a device changed a field of a record.
    private var changes: [RecordPlace: [Int: [Int: Int]]] = [:]

    /// Notes that a person changed fields of a record.
    mutating func noteChange(_ place: RecordPlace, fields: [Int], by device: Int) {
        for field in fields { changes[place, default: [:]][device, default: [:]][field, default: 0] += 1 }
    }

    /// Notes that a person decided about a record, which may come to what it was before.
    mutating func noteDecision(_ place: RecordPlace, fieldCount: Int, by device: Int) {
        for _ in 0..<2 { noteChange(place, fields: Array(0..<fieldCount), by: device) }
    }

    /// Whether somebody at one of some devices changed one of some fields more than once, and may so have put it back.
    func mayHavePutBack(place: RecordPlace, fields: [Int], where isMeant: (Int) -> Bool) -> Bool {
        (changes[place] ?? [:]).contains { device, counts in
            isMeant(device) && fields.contains { counts[$0, default: 0] > 1 }
        }
    }

    mutating func giveUp(_ texts: Set<String>) { set(texts, fate: .givenUp) }

    mutating func decide(_ texts: Set<String>, step: Int) { set(texts, fate: .decided(step: step)) }

    /// Notes that words gave way to a decision on another version.
    mutating func swap(_ texts: Set<String>, step: Int) { set(texts, fate: .swapped(step: step)) }

    /// What stands of a record, shown anywhere or not.
    func standing(place: RecordPlace) -> Set<String> {
        Set(order.filter { words[$0]?.place == place && words[$0]?.fate == .standing })
    }

    // MARK: Flags

    /// A flag that its field's rule keeps once a person has set it: true for `or`, false for `and`.
    struct Flag: Hashable {
        var place: RecordPlace
        var field: Int
    }

    /// Flags that somebody set, and nobody took back where they were displayed.
    private(set) var flags: Set<Flag> = []

    /// Notes what a person wrote into a flag, over what was displayed.
    mutating func setFlag(_ flag: Flag, rule: MergeRule, to value: FieldValue?, over old: FieldValue?) {
        let kept = FieldValue.boolean(rule == .or)
        if value == kept {
            if old != kept { flags.insert(flag) }
        } else if old == kept {
            flags.remove(flag)
        }
    }

    /// Nothing is promised any more of the flags of a record, or of all.
    mutating func forgetFlags(_ place: RecordPlace? = nil) {
        flags = flags.filter { flag in place.map { flag.place != $0 } ?? false }
    }

    /// Notes that a medium was lost with words that nothing else held.
    mutating func destroy(_ texts: Set<String>) {
        for text in texts where words[text]?.fate != .givenUp { words[text]?.fate = .destroyed }
    }

    private mutating func set(_ texts: Set<String>, fate: Fate) {
        for text in texts where words[text]?.fate == .standing { words[text]?.fate = fate }
    }

    // MARK: Finding words

    /// The words of one value.
    func words(in value: FieldValue?) -> [String] {
        switch value {
        case .text(let text)?: words[text] == nil ? [] : [text]
        case .integer(let number)?: words["#\(number)"] == nil ? [] : ["#\(number)"]
        case .json(let text)?: words(inJSON: text)
        default: []
        }
    }

    /// The words of a whole record.
    func words(in record: Record) -> Set<String> {
        record.values.reduce(into: []) { $0.formUnion(words(in: $1)) }
    }

    /// The words of some JSON text.
    func words(inJSON text: String) -> [String] {
        text.split(separator: "\"").map(String.init).filter { words[$0] != nil }
    }
}
