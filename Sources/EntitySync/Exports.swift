// What an app names beside the types of this module, one by one: a whole module would give general names, such as
// `Record`, to every file that imports EntitySync. Tests/SealTests/face.txt lists all that comes of it.

// Accounts.
@_exported public import struct SyncAccounts.AccountID
@_exported public import enum SyncAccounts.GuestAdoption
@_exported public import enum SyncAccounts.SignOutMode
@_exported public import struct SyncAccounts.UnsentCounts
@_exported public import struct SyncAccounts.UnsentRecords
// What a test gives instead of the system.
@_exported public import protocol SyncCore.ConnectivityMonitor
@_exported public import protocol SyncCore.RandomSource
// The remote, and what went wrong.
@_exported public import protocol SyncCore.RemoteBackend
@_exported public import enum SyncCore.RetryAdvice
// Questions to the store.
@_exported public import struct SyncCore.SQLQuery
@_exported public import struct SyncCore.SQLRow
@_exported public import struct SyncCore.SearchExcerpt
@_exported public import protocol SyncCore.SyncClock
@_exported public import struct SyncCore.SyncError
@_exported public import protocol SyncCore.SyncSleeper
@_exported public import struct SyncCore.SystemClock
@_exported public import struct SyncCore.SystemRandom
@_exported public import struct SyncCore.SystemSleeper
// Values and models.
@_exported public import struct SyncModel.CalendarDate
@_exported public import struct SyncModel.FieldError
@_exported public import struct SyncModel.RecordKey
@_exported public import protocol SyncModel.SyncEntity
@_exported public import struct SyncModel.Timestamp
@_exported public import protocol SyncModel.TransferObject
// Syncing.
@_exported public import struct SyncRuntime.AdoptionReport
@_exported public import struct SyncRuntime.AutomaticDecision
@_exported public import struct SyncRuntime.EntityReport
@_exported public import struct SyncRuntime.PastSync
@_exported public import struct SyncRuntime.SyncOptions
@_exported public import enum SyncRuntime.SyncProgress
@_exported public import struct SyncRuntime.SyncReport
@_exported public import struct SyncRuntime.SyncStatus
// When to sync, and what a test gives instead of the system.
@_exported public import struct SyncSchedule.SchedulePolicy
@_exported public import struct SyncSchedule.SpaceEnvironment
// The version of this package.
@_exported public import enum SyncVersion.EntitySyncVersion
