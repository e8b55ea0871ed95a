import Foundation

/// The system's libpq. It is looked for at its first use, so that this program is built and runs without it, too.
struct Libpq {
    /// A connection or a result.
    typealias Handle = OpaquePointer?
    typealias ToNumber = @convention(c) (Handle) -> Int32
    typealias ToHandle = @convention(c) (Handle) -> Handle
    typealias ToNothing = @convention(c) (Handle) -> Void
    typealias ToText = @convention(c) (Handle) -> UnsafePointer<CChar>?
    typealias Receiver = @convention(c) (UnsafeMutableRawPointer?, Handle) -> Void
    typealias SetReceiver = @convention(c) (Handle, Receiver, UnsafeMutableRawPointer?) -> UnsafeRawPointer?
    typealias Text = UnsafePointer<CChar>
    typealias Numbers = UnsafePointer<Int32>?
    /// Connection, text, and number, types, values, lengths and formats of the parameters; the format of the result.
    typealias Send =
        @convention(c) (
            Handle, Text, Int32, UnsafePointer<UInt32>?, UnsafePointer<Text?>?, Numbers, Numbers, Int32
        ) -> Int32

    let connect: @convention(c) (Text) -> Handle
    let finish: ToNothing
    let status: ToNumber
    let errorMessage: ToText
    let serverProcess: ToNumber
    let setNoticeReceiver: SetReceiver
    let execute: @convention(c) (Handle, Text) -> Handle
    let enterPipeline: ToNumber
    let syncPipeline: ToNumber
    let exitPipeline: ToNumber
    let send: Send
    let nextResult: ToHandle
    let resultStatus: ToNumber
    let rowCount: ToNumber
    let columnCount: ToNumber
    let value: @convention(c) (Handle, Int32, Int32) -> Text?
    let length: @convention(c) (Handle, Int32, Int32) -> Int32
    let clear: ToNothing

    /// `status` of a connection that stands.
    static let isConnected: Int32 = 0
    /// `resultStatus` of a statement that was done, without rows or with some.
    static let isDone: ClosedRange<Int32> = 1...2

    private static let found = Result { try Libpq() }

    /// The library. Throws `Unmeasured` where it is not installed.
    static func installed() throws -> Libpq { try found.get() }

    private init() throws {
        #if os(Linux)
            let names = ["libpq.so.5"]
        #else
            let names = ["libpq.5.dylib", "/opt/homebrew/opt/libpq/lib/libpq.5.dylib"]
        #endif
        let library = names.lazy.compactMap { dlopen($0, RTLD_NOW) }.first
        func symbol<Function>(_ name: String) throws -> Function {
            guard let library, let address = dlsym(library, name) else {
                throw Unmeasured(reason: "libpq, the client library of PostgreSQL, is not installed")
            }
            return unsafeBitCast(address, to: Function.self)
        }
        connect = try symbol("PQconnectdb")
        finish = try symbol("PQfinish")
        status = try symbol("PQstatus")
        errorMessage = try symbol("PQerrorMessage")
        serverProcess = try symbol("PQbackendPID")
        setNoticeReceiver = try symbol("PQsetNoticeReceiver")
        execute = try symbol("PQexec")
        enterPipeline = try symbol("PQenterPipelineMode")
        syncPipeline = try symbol("PQpipelineSync")
        exitPipeline = try symbol("PQexitPipelineMode")
        send = try symbol("PQsendQueryParams")
        nextResult = try symbol("PQgetResult")
        resultStatus = try symbol("PQresultStatus")
        rowCount = try symbol("PQntuples")
        columnCount = try symbol("PQnfields")
        value = try symbol("PQgetvalue")
        length = try symbol("PQgetlength")
        clear = try symbol("PQclear")
    }
}
