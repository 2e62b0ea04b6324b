/// The modules that Apple's systems have, and which of their names a file has to import.
enum Modules {
    static let lacking: Set<String> = [
        "ARKit", "AVFoundation", "AVKit", "Accelerate", "Accounts", "ActivityKit", "AddressBook", "AppIntents",
        "AppKit", "AuthenticationServices", "BackgroundTasks", "CFNetwork", "Charts", "CloudKit", "Cocoa", "Combine",
        "CommonCrypto", "Contacts", "ContactsUI", "CoreAudio", "CoreBluetooth", "CoreGraphics",
        "CoreImage", "CoreLocation", "CoreML", "CoreMedia", "CoreMotion", "CoreServices", "CoreSpotlight",
        "CoreTelephony", "CoreText", "CoreVideo", "CryptoKit", "Darwin", "EventKit", "GameKit", "HealthKit", "HomeKit",
        "ImageIO", "Intents", "IntentsUI", "JavaScriptCore", "LinkPresentation", "LocalAuthentication", "MapKit",
        "MediaPlayer", "MessageUI", "Messages", "Metal", "MetricKit", "MobileCoreServices", "NaturalLanguage",
        "Network", "NotificationCenter", "ObjectiveC", "OSLog", "PDFKit", "PassKit", "Photos", "PhotosUI",
        "QuartzCore", "QuickLook", "SafariServices", "SceneKit", "Security", "Social", "Speech", "SpriteKit",
        "StoreKit", "SwiftUI", "SystemConfiguration", "TipKit", "UIKit", "UniformTypeIdentifiers",
        "UserNotifications", "Vision", "WatchConnectivity", "WatchKit", "WebKit", "WidgetKit", "os",
    ]

    /// Modules that a target may have instead, from a package.
    static let stead = ["Combine": "OpenCombine", "CryptoKit": "Crypto"]
    /// The parts that OpenCombine keeps in modules of their own.
    static let openCombineParts = ["OpenCombineDispatch", "OpenCombineFoundation"]

    /// Members that are the standard library's or Foundation's on Apple's systems.
    static let coreDataMembers: Set<String> = ["_kvcKeyPathString"]

    private static let coreDataPrefixes = [
        "NSManagedObject", "NSPersistent", "NSFetch", "NSEntity", "NSBatch", "NSMigration", "NSMapping",
        "NSAtomicStore", "NSIncrementalStore", "NSAsynchronousFetch", "NSMerge", "NSQueryGeneration", "NSKeyValue",
    ]
    private static let coreDataNames: Set<String> = [
        "AutoreleasingUnsafeMutablePointer",
        "CFAbsoluteTime", "CFAbsoluteTimeGetCurrent", "NSAttributeDescription", "NSAttributeType", "NSBinaryStoreType",
        "NSComparisonPredicate", "NSCompositeAttributeDescription", "NSCompoundPredicate", "NSConstraintConflict",
        "NSDeleteRule", "NSDerivedAttributeDescription", "NSException", "NSExpression", "NSExpressionDescription",
        "NSFastEnumerationIterator", "NSInMemoryStoreType", "NSInferMappingModelAutomaticallyOption",
        "NSLocalizedFailureErrorKey", "NSMigratePersistentStoresAutomaticallyOption", "NSPredicate",
        "NSPropertyDescription", "NSRelationshipDescription", "NSSQLiteStoreType", "NSSaveChangesRequest",
        "NSSecureUnarchiveFromDataTransformer", "NSSnapshotEventType", "NSSortDescriptor", "NSXMLStoreType",
        "ValueTransformer", "autoreleasepool",
    ]
    private static let foundationNames: Set<String> = [
        "Bundle", "CharacterSet", "Data", "Date", "DateComponents", "DateFormatter", "Decimal", "DispatchQueue",
        "FileManager", "IndexPath", "IndexSet", "JSONDecoder", "JSONEncoder", "Locale", "Measurement", "Notification",
        "NotificationCenter", "Operation", "OperationQueue", "ProcessInfo", "RunLoop", "Thread", "TimeInterval",
        "TimeZone", "Timer", "URL", "URLComponents", "UUID", "UserDefaults",
    ]
    private static let networkingNames: Set<String> = [
        "HTTPCookie", "HTTPURLResponse", "URLAuthenticationChallenge", "URLCache", "URLCredential",
        "URLProtectionSpace", "URLProtocol", "URLRequest", "URLResponse", "URLSession", "URLSessionConfiguration",
        "URLSessionDataDelegate", "URLSessionDataTask", "URLSessionDelegate", "URLSessionDownloadDelegate",
        "URLSessionDownloadTask", "URLSessionTask", "URLSessionTaskDelegate", "URLSessionUploadTask",
    ]

    /// The module that a file needs for a name that it uses.
    static func needed(for word: String) -> String? {
        if coreDataNames.contains(word) || coreDataMembers.contains(word) { return "CoreData" }
        if networkingNames.contains(word) { return "FoundationNetworking" }
        if word.hasPrefix("NS"), word.count > 3 {
            let isCoreData = coreDataPrefixes.contains { word.hasPrefix($0) }
            return isCoreData ? "CoreData" : "Foundation"
        }
        return foundationNames.contains(word) ? "Foundation" : nil
    }
}
