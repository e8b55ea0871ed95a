@_exported public import SyncCore
@_exported public import SyncFileBackend
@_exported public import SyncHTTPClient
@_exported public import SyncRuntime
@_exported public import SyncServerBackend
@_exported public import SyncStore
@_exported public import SyncVersion
