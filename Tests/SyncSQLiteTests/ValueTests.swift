import SyncSQLite
import Testing

@Suite struct ValueTests {
    let connection: Connection
    let insert: Statement
    let select: Statement

    init() throws {
        connection = try .inMemory()
        try connection.execute(
            "CREATE TABLE t (id INTEGER PRIMARY KEY, v ANY) STRICT"
        )
        insert = try connection.prepare("INSERT OR REPLACE INTO t (id, v) VALUES (1, ?1)")
        select = try connection.prepare("SELECT v, length(CAST(v AS BLOB)) FROM t")
    }

    /// Stores a value and passes its row to `read`.
    func roundTrip<T>(bind: (Statement) throws -> Void, read: (Statement) throws -> T) throws -> T {
        try bind(insert)
        try insert.run()
        try #require(try select.step())
        defer { select.reset() }
        return try read(select)
    }

    @Test(arguments: [.min, .min + 1, -1, 0, 1, (1 << 53) + 1, .max] as [Int64])
    func integersComeBack(value: Int64) throws {
        try roundTrip(bind: { try $0.bind(value, at: 1) }) {
            #expect($0.type(at: 0) == .integer)
            #expect($0.int64(at: 0) == value)
            #expect($0.optionalInt64(at: 0) == value)
        }
    }

    @Test(
        arguments: [
            0.0, 0.1, -1.5, 5, 1e300, .greatestFiniteMagnitude, -.greatestFiniteMagnitude,
            .leastNonzeroMagnitude,
            .leastNormalMagnitude, .infinity, -.infinity, .pi, -0.0,
        ] as [Double]
    )
    func doublesComeBackToTheBit(value: Double) throws {
        try roundTrip(bind: { try $0.bind(value, at: 1) }) {
            #expect($0.type(at: 0) == .real)
            #expect($0.double(at: 0).bitPattern == value.bitPattern)
        }
    }

    @Test(arguments: [-0.0, 0, 5, 0.1, -1e15, .greatestFiniteMagnitude, .infinity] as [Double])
    func aRealColumnKeepsAllButTheSignOfZero(value: Double) throws {
        try connection.execute("CREATE TABLE r (v REAL) STRICT")
        let insert = try connection.prepare("INSERT INTO r VALUES (?1)")
        try insert.bind(value, at: 1)
        try insert.run()
        let select = try connection.prepare("SELECT v FROM r")
        try #require(try select.step())
        #expect(select.type(at: 0) == .real)
        #expect(select.double(at: 0).bitPattern == (value == 0 ? 0 : value.bitPattern))
    }

    @Test func notANumberIsRefusedRatherThanStoredAsNull() throws {
        let error = try failure { try insert.bind(Double.nan, at: 1) }
        #expect(error.isMisuse)
    }

    @Test(arguments: [
        "", "a", "\0", "a\0b\0", "e\u{301}", "\u{E9}", "بِسْمِ ٱللَّهِ", "👩‍👩‍👧‍👦", "\u{FEFF}bom", "line\r\nend",
        "\u{FFFF}", "it's \"x\"",
    ])
    func textComesBackByteByByte(value: String) throws {
        let bytes = Array(value.utf8)
        try roundTrip(bind: { try $0.bind(value, at: 1) }) {
            #expect($0.type(at: 0) == .text)
            #expect(!$0.isNull(at: 0))
            #expect(Array($0.text(at: 0)) == bytes)
            #expect(Array($0.string(at: 0).utf8) == bytes)
            #expect($0.int64(at: 1) == bytes.count)
        }
        try roundTrip(bind: { statement in
            try bytes.withUnsafeBufferPointer { try statement.bindText($0, at: 1) }
        }
        ) {
            #expect($0.type(at: 0) == .text)
            #expect($0.bytes(at: 0) == bytes)
        }
        let borrowed = try bytes.withUnsafeBufferPointer { buffer in
            try roundTrip(bind: { try $0.bindTextWithoutCopy(buffer, at: 1) }, read: { $0.string(at: 0) })
        }
        #expect(Array(borrowed.utf8) == bytes)
    }

    @Test(arguments: [[], [0], [0xFF, 0, 0x80]] as [[UInt8]])
    func blobsComeBack(value: [UInt8]) throws {
        try roundTrip(bind: { try $0.bind(value, at: 1) }) {
            #expect($0.type(at: 0) == .blob)
            #expect($0.bytes(at: 0) == value)
            #expect($0.optionalBytes(at: 0) == value)
        }
        let borrowed = try value.withUnsafeBufferPointer { buffer in
            try roundTrip(bind: { try $0.bindBlobWithoutCopy(buffer, at: 1) }, read: { $0.bytes(at: 0) })
        }
        #expect(borrowed == value)
    }

    @Test func aMegabyteComesBack() throws {
        try textComesBackByteByByte(value: String(repeating: "ab\u{301}\0ج", count: 160_000))
        try blobsComeBack(value: (0..<1_100_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
    }

    @Test func nullIsNeitherEmptyTextNorAnEmptyBlob() throws {
        try roundTrip(bind: { try $0.bindNull(at: 1) }) {
            #expect($0.type(at: 0) == .null)
            #expect($0.isNull(at: 0))
            #expect($0.optionalString(at: 0) == nil)
            #expect($0.optionalInt64(at: 0) == nil)
            #expect($0.optionalBytes(at: 0) == nil)
            #expect($0.string(at: 0) == "")
        }
        let kinds = try [
            roundTrip(bind: { try $0.bind(nil as String?, at: 1) }, read: { $0.type(at: 0) }),
            roundTrip(bind: { try $0.bind("" as String?, at: 1) }, read: { $0.type(at: 0) }),
            roundTrip(bind: { try $0.bind(nil as [UInt8]?, at: 1) }, read: { $0.type(at: 0) }),
            roundTrip(bind: { try $0.bind([] as [UInt8]?, at: 1) }, read: { $0.type(at: 0) }),
            roundTrip(bind: { try $0.bind(nil as Int64?, at: 1) }, read: { $0.type(at: 0) }),
        ]
        #expect(kinds == [.null, .text, .null, .blob, .null])
    }

    @Test func bytesThatAreNoTextAreStillReadable() throws {
        let bytes: [UInt8] = [0x61, 0xFF, 0x62]
        try bytes.withUnsafeBufferPointer { buffer in
            try roundTrip(bind: { try $0.bindText(buffer, at: 1) }) {
                #expect(Array($0.text(at: 0)) == bytes)
                #expect($0.string(at: 0) == "a\u{FFFD}b")
            }
        }
    }

    @Test func aColumnOfReadsWithoutARowIsNull() throws {
        #expect(select.isNull(at: 0))
        #expect(select.text(at: 5).isEmpty)
        #expect(select.columnName(at: 9) == "")
        #expect(select.columnName(at: 0) == "v")
        #expect(select.columnCount == 2)
    }
}
