#if Server
    import CPostgreSQL

    /// A statement with its parameters.
    struct PostgresStatement: Sendable {
        /// The SQL, with `$1`, `$2` ... for the parameters.
        var text: String
        /// The values.
        var parameters: [Parameter] = []

        /// A value of a parameter.
        enum Parameter: Sendable {
            /// A text, which the server converts to the type that it expects; nil for null.
            case text(String?)
            /// JSON as bytes, which need not be valid.
            case json([UInt8])
        }

        init(_ text: String, _ parameters: Parameter...) {
            (self.text, self.parameters) = (text, parameters)
        }
    }

    /// The rows of a result, as text. Freed with the last reference.
    final class PostgresResult {
        private let handle: OpaquePointer

        init(handle: OpaquePointer) {
            self.handle = handle
        }

        deinit { PQclear(handle) }

        /// What became of the statement.
        var status: ExecStatusType { PQresultStatus(handle) }

        /// The number of rows.
        var rowCount: Int { Int(PQntuples(handle)) }

        /// A value as bytes; nil for null, and for a row or column that is not there.
        func bytes(row: Int = 0, column: Int) -> [UInt8]? {
            let (row, column) = (Int32(row), Int32(column))
            guard row < PQntuples(handle), column < PQnfields(handle), PQgetisnull(handle, row, column) == 0,
                let value = PQgetvalue(handle, row, column)
            else { return nil }
            let buffer = UnsafeRawBufferPointer(start: value, count: Int(PQgetlength(handle, row, column)))
            return Array(buffer)
        }

        /// A value as text.
        func text(row: Int = 0, column: Int) -> String? {
            bytes(row: row, column: column).map { String(decoding: $0, as: UTF8.self) }
        }

        /// A boolean; false for null.
        func isTrue(row: Int = 0, column: Int) -> Bool { text(row: row, column: column) == "t" }

        /// The error that the server answered with; nil if it did what it was asked to.
        var error: PostgresError? {
            guard [PGRES_FATAL_ERROR, PGRES_BAD_RESPONSE, PGRES_NONFATAL_ERROR].contains(status) else {
                return nil
            }
            let sqlstate = field("C")
            var error = PostgresError(kind: sqlstate.isEmpty ? .lost : .failed, sqlstate: sqlstate)
            if sqlstate == "PGRST" {
                error.response = PostgresError.RaisedResponse(
                    message: field("M"),
                    detail: field("D")
                )
            }
            return error
        }

        /// A field of an error, by the letter that the protocol names it with.
        private func field(_ letter: Unicode.Scalar) -> String {
            PQresultErrorField(handle, Int32(letter.value)).map { String(cString: $0) } ?? ""
        }
    }
#endif
