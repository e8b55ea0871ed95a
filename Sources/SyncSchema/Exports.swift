@_exported public import SyncModel
