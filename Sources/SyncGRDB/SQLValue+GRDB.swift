#if GRDB
    import Foundation
    import GRDB
    import SyncCore

    extension SQLValue {
        /// The value as GRDB binds it.
        var databaseValue: DatabaseValue {
            switch self {
            case .null: .null
            case .integer(let value): value.databaseValue
            case .real(let value): value.databaseValue
            case .text(let value): value.databaseValue
            case .bytes(let value): Data(value).databaseValue
            }
        }
    }

    extension FieldValue {
        /// The value as the view shows it.
        var sqlValue: SQLValue {
            switch self {
            case .null: .null
            case .boolean(let value): value.sqlValue
            case .integer(let value): .integer(value)
            case .number(let value): .real(value)
            case .timestamp(let value): value.sqlValue
            case .text(let value), .json(let value): .text(value)
            case .bytes(let value): .bytes(value)
            }
        }
    }
#endif
