@_exported public import Firn
