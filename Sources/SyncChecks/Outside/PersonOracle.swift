import SyncCore

/// The oracle of outside worlds: what people wrote and gave up, derived only from what devices displayed before
/// and after each action. Every value is a unique word. The oracle never uses the product's version metadata.
struct PersonOracle {
    /// A value that a person wrote.
    struct Word {
        var text: String
        var place: RecordID
        var field: String
        /// The field's own merge rule.
        var rule: MergeRule?
        /// Whether it is what the field holds by default.
        var isDefault: Bool
        var device: String
        var step: Int
        var fate = Fate.standing
        /// The writer and the fate of the word before it was written again.
        var earlier: (device: String, fate: Fate)?
    }

    /// What happened to a word.
    enum Fate: Equatable {
        /// It must be found.
        case standing
        /// A person overwrote or deleted it where it was displayed.
        case givenUp
        /// A person decided against it after seeing it.
        case decided(step: Int)
        /// A person decided against another version, and this one was replaced.
        case swapped(step: Int)
        /// The only medium with it was lost.
        case destroyed
    }

    /// A person's delete.
    struct Delete {
        var place: RecordID
        var device: Int
        var step: Int
        /// The words that the record displayed at that time.
        var shown: Set<String>
        /// The number of writes to the record by anybody until then.
        var writes: Int
        /// Whether the record had writes that were not displayed there.
        var hadUnseen: Bool
        /// The records that were merged into it on that device.
        var merged: Set<RecordID>
        var isPublished = false
    }

    private(set) var words: [String: Word] = [:]
    /// The words in the order in which they were written.
    private(set) var order: [String] = []
    var deletes: [Delete] = []
    /// The writers of each record, and whether they wrote a word.
    private(set) var writes: [RecordID: [(device: Int, hasWord: Bool)]] = [:]

    /// Records that a person wrote words, new or repeated ones.
    mutating func noteWords(
        _ said: [(field: FieldDescriptor, word: String)],
        place: RecordID,
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
                isDefault: field.defaultJSON == "\"\(text)\"",
                device: device,
                step: step
            )
            order.append(text)
        }
    }

    /// Reverts repeated words of a person whose medium was lost or abandoned.
    mutating func takeBackRepeats(by device: String) {
        for text in order where words[text]?.device == device {
            guard let earlier = words[text]?.earlier else { continue }
            words[text]?.device = earlier.device
            words[text]?.fate = earlier.fate
            words[text]?.earlier = nil
        }
    }

    /// Whether a person at a device wrote one of the words, and it still stands.
    func hasStanding(texts: Set<String>, by device: String) -> Bool {
        texts.contains { words[$0]?.device == device && words[$0]?.fate == .standing }
    }

    /// Records that displayed words were written again and stand.
    mutating func noteWordsAgain(_ texts: Set<String>) {
        for text in texts { words[text]?.fate = .standing }
    }

    /// Records that a person wrote to a record.
    mutating func noteWrite(_ place: RecordID, by device: Int, hasWord: Bool = false) {
        writes[place, default: []].append((device, hasWord))
    }

    /// The number of changes to each field of a record on each device.
    private var changes: [RecordID: [Int: [String: Int]]] = [:]

    /// Records that a person changed fields of a record.
    mutating func noteChange(_ place: RecordID, fields: [String], by device: Int) {
        for field in fields { changes[place, default: [:]][device, default: [:]][field, default: 0] += 1 }
    }

    /// Records a decision on a record, which may restore earlier values.
    mutating func noteDecision(_ place: RecordID, fields: [String], by device: Int) {
        for _ in 0..<2 { noteChange(place, fields: fields, by: device) }
        moves = [:]
    }

    /// Whether one of the fields was changed more than once on one of the devices, so that a former value may
    /// have been restored.
    func mayHavePutBack(place: RecordID, fields: [String], where isMeant: (Int) -> Bool) -> Bool {
        (changes[place] ?? [:]).contains { device, counts in
            isMeant(device) && fields.contains { counts[$0, default: 0] > 1 }
        }
    }

    /// Whether one of the fields was changed on a device.
    func hasChanged(_ place: RecordID, fields: [String], on device: Int) -> Bool {
        fields.contains { changes[place]?[device]?[$0] != nil }
    }

    /// How often people changed a field of a record, on all devices.
    func changeCount(_ place: RecordID, field: String) -> Int {
        (changes[place] ?? [:]).values.reduce(0) { $0 + $1[field, default: 0] }
    }

    // MARK: References and seeds

    /// A field of a record.
    struct Spot: Hashable {
        var place: RecordID
        var field: String
    }

    /// The records that references named as people last set them.
    var references: [Spot: Set<RecordKey>] = [:]
    /// Values that nobody wrote, because apps brought them along.
    private(set) var seeds: [String: Spot] = [:]

    mutating func noteSeed(_ text: String, at spot: Spot) { seeds[text] = spot }

    // MARK: Moves

    /// Records of trees that a person moved once, with the new parents.
    private(set) var moves: [RecordID: Set<RecordKey>] = [:]
    private var moved: Set<RecordID> = []

    /// Records a move. Which of two moves of a record wins is not known.
    mutating func noteMove(_ place: RecordID, to parents: Set<RecordKey>) {
        moves[place] = moved.insert(place).inserted ? parents : nil
    }

    /// Drops the expectation that a moved record stays, because a person deleted it.
    mutating func forgetMove(_ place: RecordID) { moves[place] = nil }

    // MARK: Fates

    mutating func giveUp(_ texts: Set<String>) { set(texts, fate: .givenUp) }

    mutating func decide(_ texts: Set<String>, step: Int) { set(texts, fate: .decided(step: step)) }

    /// Records that words were replaced by a decision on another version.
    mutating func swap(_ texts: Set<String>, step: Int) { set(texts, fate: .swapped(step: step)) }

    /// The words of a record that stand, shown or not.
    func standing(place: RecordID) -> Set<String> {
        Set(order.filter { words[$0]?.place == place && words[$0]?.fate == .standing })
    }

    // MARK: Flags

    /// A flag that its merge rule keeps once it is set: true for `or`, false for `and`.
    struct Flag: Hashable {
        var place: RecordID
        var field: String
    }

    /// Flags that somebody set and nobody reverted where they were displayed.
    private(set) var flags: Set<Flag> = []

    /// Records what a person wrote to a flag, given the displayed value.
    mutating func setFlag(_ flag: Flag, rule: MergeRule, to value: FieldValue?, over old: FieldValue?) {
        let kept = FieldValue.boolean(rule == .or)
        if value == kept {
            if old != kept { flags.insert(flag) }
        } else if old == kept {
            flags.remove(flag)
        }
    }

    /// Drops all expectations of the flags of a record, or of all records.
    mutating func forgetFlags(_ place: RecordID? = nil) {
        flags = flags.filter { flag in place.map { flag.place != $0 } ?? false }
    }

    /// Records that a medium was lost with words that nothing else held.
    mutating func destroy(_ texts: Set<String>) {
        for text in texts where words[text]?.fate != .givenUp { words[text]?.fate = .destroyed }
    }

    private mutating func set(_ texts: Set<String>, fate: Fate) {
        for text in texts where words[text]?.fate == .standing { words[text]?.fate = fate }
    }

    // MARK: Finding words

    /// The words of a person of which nobody sees whether something still holds them: those in records of other
    /// entities than these, and a field's very default, which other records show, too.
    func unseenWords(by device: String, entities: Set<String>) -> Set<String> {
        let own = words.values.filter { $0.device == device }
        return Set(own.filter { $0.isDefault || !entities.contains($0.place.entity) }.map(\.text))
    }

    /// The words in a value.
    func words(in value: FieldValue?) -> [String] {
        switch value {
        case .text(let text)?: words[text] == nil ? [] : [text]
        case .integer(let number)?: words["#\(number)"] == nil ? [] : ["#\(number)"]
        case .number(let number)?: Int64(exactly: number).map { words(in: .integer($0)) } ?? []
        case .json(let text)?: words(inJSON: text)
        default: []
        }
    }

    /// The words in a record, and in its members that this version of the app does not know.
    func words(in record: Record) -> Set<String> {
        record.unknown.reduce(into: record.values.reduce(into: []) { $0.formUnion(words(in: $1)) }) {
            $0.formUnion(words(inJSON: $1.json))
        }
    }

    /// The words in a JSON text, and the numbers after its colons, or that it is.
    func words(inJSON text: String) -> [String] {
        let numbers = text.split(separator: ":").map { "#" + $0.prefix { $0.isNumber } }
        return (text.split(separator: "\"").map(String.init) + numbers).filter { words[$0] != nil }
    }
}
