import CSQLite

/// Divides texts into the words that a full-text index (FTS5) holds, beyond SQLite's own `unicode61`:
///
/// - Scripts without spaces between words (Chinese, Japanese, Korean, Thai and others) give one word for each
///   character. A search for several of them finds them side by side.
/// - Arabic and Hebrew lose their vowel signs, and letters that people write in several ways become one, as in
///   Lucene's Arabic normalizer.
///
/// All other words, letter case and Latin accents are left to `unicode61`.
final class WordTokenizer {
    /// The version of the rules. An index of another version is made anew, because its words would not be found.
    static let version = 1
    /// The tokenizer's name in SQL.
    static let name = "sync_words"

    private var inner: fts5_tokenizer
    private let instance: OpaquePointer

    /// Makes a tokenizer over `unicode61`; nil with SQLite's result code if that fails.
    private init?(api: UnsafeMutablePointer<fts5_api>, resultCode: inout Int32) {
        var context: UnsafeMutableRawPointer?
        inner = fts5_tokenizer()
        resultCode = api.pointee.xFindTokenizer(api, "unicode61", &context, &inner)
        guard resultCode == SQLITE_OK, let create = inner.xCreate else { return nil }
        // Marks belong to words: they are not between them.
        let options = ["remove_diacritics", "2", "categories", "L* N* Co Mn Mc"]
        var made: OpaquePointer?
        resultCode = Self.withTexts(options) { create(context, $0, Int32(options.count), &made) }
        guard resultCode == SQLITE_OK, let made else { return nil }
        instance = made
    }

    deinit { inner.xDelete?(instance) }

    /// Calls `body` with C texts.
    private static func withTexts(
        _ texts: [String],
        body: (UnsafeMutablePointer<UnsafePointer<CChar>?>?) -> Int32
    ) -> Int32 {
        var bytes: [CChar] = []
        var starts: [Int] = []
        for text in texts {
            starts.append(bytes.count)
            bytes += text.utf8.map { CChar(bitPattern: $0) } + [0]
        }
        return bytes.withUnsafeBufferPointer { buffer in
            var pointers = starts.map { start in buffer.baseAddress.map { $0 + start } }
            return pointers.withUnsafeMutableBufferPointer { body($0.baseAddress) }
        }
    }

    /// Gives each word of a text to `sink`, in order. Returns SQLite's result code.
    private func tokenize(flags: Int32, text: UnsafeBufferPointer<UInt8>, sink: WordSink) -> Int32 {
        var sink = sink
        var start = 0
        for character in UnspacedCharacters(text: text) {
            var resultCode = words(flags: flags, text: text, range: start..<character.lowerBound, sink: &sink)
            if resultCode != SQLITE_OK { return resultCode }
            resultCode = sink.emit(text, range: character)
            if resultCode != SQLITE_OK { return resultCode }
            start = character.upperBound
        }
        return words(flags: flags, text: text, range: start..<text.count, sink: &sink)
    }

    /// The words of a part of a text that `unicode61` divides.
    private func words(
        flags: Int32,
        text: UnsafeBufferPointer<UInt8>,
        range: Range<Int>,
        sink: inout WordSink
    ) -> Int32 {
        guard !range.isEmpty, let base = text.baseAddress, let tokenize = inner.xTokenize else {
            return SQLITE_OK
        }
        sink.offset = Int32(range.lowerBound)
        let part = UnsafeRawPointer(base + range.lowerBound).assumingMemoryBound(to: CChar.self)
        return withUnsafeMutablePointer(to: &sink) { sink in
            tokenize(instance, sink, flags, part, Int32(range.count)) { sink, _, word, count, start, end in
                guard let sink, let word else { return SQLITE_OK }
                return word.withMemoryRebound(to: UInt8.self, capacity: Int(count)) {
                    sink.assumingMemoryBound(to: WordSink.self).pointee.emit(
                        UnsafeBufferPointer(start: $0, count: Int(count)),
                        start: start,
                        end: end
                    )
                }
            }
        }
    }
}

extension WordTokenizer {
    /// Adds the tokenizer to a connection. Returns SQLite's result code.
    static func add(to database: OpaquePointer?) -> Int32 {
        var api: UnsafeMutablePointer<fts5_api>?
        var statement: OpaquePointer?
        var resultCode = sqlite3_prepare_v2(database, "SELECT fts5(?1)", -1, &statement, nil)
        guard resultCode == SQLITE_OK else { return resultCode }
        sqlite3_bind_pointer(statement, 1, &api, "fts5_api_ptr", nil)
        sqlite3_step(statement)
        resultCode = sqlite3_finalize(statement)
        guard resultCode == SQLITE_OK, let api else {
            return resultCode == SQLITE_OK ? SQLITE_ERROR : resultCode
        }
        var functions = fts5_tokenizer(
            xCreate: { context, _, _, made in
                guard let context else { return SQLITE_ERROR }
                var resultCode = SQLITE_ERROR
                let api = context.assumingMemoryBound(to: fts5_api.self)
                guard let tokenizer = WordTokenizer(api: api, resultCode: &resultCode) else {
                    return resultCode
                }
                made?.pointee = OpaquePointer(Unmanaged.passRetained(tokenizer).toOpaque())
                return SQLITE_OK
            },
            xDelete: { made in
                guard let made else { return }
                Unmanaged<WordTokenizer>.fromOpaque(UnsafeRawPointer(made)).release()
            },
            xTokenize: { made, context, flags, text, count, emit in
                guard let made, let emit, let text, count > 0 else { return SQLITE_OK }
                let tokenizer = Unmanaged<WordTokenizer>.fromOpaque(UnsafeRawPointer(made))
                    .takeUnretainedValue()
                return text.withMemoryRebound(to: UInt8.self, capacity: Int(count)) {
                    tokenizer.tokenize(
                        flags: flags,
                        text: UnsafeBufferPointer(start: $0, count: Int(count)),
                        sink: WordSink(context: context, emit: emit)
                    )
                }
            }
        )
        // The connection owns the interface, which lives as long as it does.
        return api.pointee.xCreateTokenizer(api, name, api, &functions, nil)
    }
}

/// Where words go: SQLite's function, which gets their bytes and their place in the text.
struct WordSink {
    typealias Emit =
        @convention(c) (UnsafeMutableRawPointer?, Int32, UnsafePointer<CChar>?, Int32, Int32, Int32) -> Int32

    let context: UnsafeMutableRawPointer?
    let emit: Emit
    /// Where the part of the text begins that the words come from.
    var offset: Int32 = 0
    private var folded: [UInt8] = []

    init(context: UnsafeMutableRawPointer?, emit: @escaping Emit) {
        self.context = context
        self.emit = emit
    }

    /// Passes on a word of the present part. Returns SQLite's result code.
    mutating func emit(_ word: UnsafeBufferPointer<UInt8>, start: Int32, end: Int32) -> Int32 {
        guard WordFolding.concerns(word) else { return send(word, start: start, end: end) }
        folded.removeAll(keepingCapacity: true)
        WordFolding.append(word, to: &folded)
        return folded.withUnsafeBufferPointer { send($0, start: start, end: end) }
    }

    /// Passes on a character of the text as a word.
    func emit(_ text: UnsafeBufferPointer<UInt8>, range: Range<Int>) -> Int32 {
        var sink = self
        sink.offset = 0
        return sink.send(
            UnsafeBufferPointer(rebasing: text[range]),
            start: Int32(range.lowerBound),
            end: Int32(range.upperBound)
        )
    }

    private func send(_ word: UnsafeBufferPointer<UInt8>, start: Int32, end: Int32) -> Int32 {
        // Nothing but marks.
        guard let base = word.baseAddress, !word.isEmpty else { return SQLITE_OK }
        return base.withMemoryRebound(to: CChar.self, capacity: word.count) {
            emit(context, 0, $0, Int32(word.count), offset + start, offset + end)
        }
    }
}

extension Connection {
    /// The version of the rules by which full-text indexes divide texts into words.
    package static var wordsVersion: Int { WordTokenizer.version }
    /// The name of the tokenizer of full-text indexes, for their definition.
    package static var wordsTokenizer: String { WordTokenizer.name }

    /// Adds the tokenizer of full-text indexes. A connection needs it to read or write them.
    package func addWordTokenizer() throws(SQLiteError) {
        let resultCode = WordTokenizer.add(to: database)
        if resultCode != SQLITE_OK {
            throw SQLiteError(resultCode: resultCode, on: database, operation: WordTokenizer.name)
        }
    }
}
