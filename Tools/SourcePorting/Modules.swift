/// The modules that Apple's systems have, and which of their names a file has to import.
enum Modules {
    static let lacking: Set<String> = [
        "ARKit", "AVFoundation", "AVKit", "Accelerate", "Accounts", "ActivityKit", "AdSupport", "AddressBook",
        "AppIntents", "AppKit", "AppTrackingTransparency", "ApplicationServices", "AudioToolbox",
        "AuthenticationServices", "BackgroundTasks", "CFNetwork", "CarPlay", "Carbon", "Charts", "ClockKit", "CloudKit",
        "Cocoa", "Combine", "CommonCrypto", "Compression", "Contacts", "ContactsUI", "CoreAudio", "CoreAudioTypes",
        "CoreBluetooth", "CoreGraphics", "CoreHaptics", "CoreImage", "CoreLocation", "CoreMIDI", "CoreML", "CoreMedia",
        "CoreMotion", "CoreNFC", "CoreServices", "CoreSpotlight", "CoreTelephony", "CoreText", "CoreTransferable",
        "CoreVideo", "CryptoKit", "CryptoTokenKit", "Darwin", "DeviceCheck", "EventKit", "ExposureNotification",
        "FamilyControls", "FileProvider", "GLKit", "GameKit", "HealthKit", "HomeKit", "IOKit", "IdentityLookup",
        "ImageIO", "Intents", "IntentsUI", "JavaScriptCore", "LinkPresentation", "LocalAuthentication", "MapKit",
        "MediaPlayer", "MessageUI", "Messages", "Metal", "MetricKit", "MobileCoreServices", "MultipeerConnectivity",
        "MusicKit", "NaturalLanguage", "Network", "NetworkExtension", "NotificationCenter", "OSLog", "ObjectiveC",
        "PDFKit", "PassKit", "PencilKit", "Photos", "PhotosUI", "PushKit", "QuartzCore", "QuickLook",
        "QuickLookThumbnailing", "RealityKit", "ReplayKit", "SafariServices", "SceneKit", "Security",
        "ServiceManagement", "ShazamKit", "Social", "Speech", "SpriteKit", "StoreKit", "SwiftUI", "SystemConfiguration",
        "TipKit", "UIKit", "UniformTypeIdentifiers", "UserNotifications", "UserNotificationsUI", "VideoToolbox",
        "Vision", "VisionKit", "WatchConnectivity", "WatchKit", "WeatherKit", "WebKit", "WidgetKit", "os",
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
        "AutoreleasingUnsafeMutablePointer", "CFAbsoluteTime", "CFAbsoluteTimeGetCurrent", "NSAttributeDescription",
        "NSAttributeType", "NSBinaryStoreType", "NSComparisonPredicate", "NSCompositeAttributeDescription",
        "NSCompoundPredicate", "NSConstraintConflict", "NSDeleteRule", "NSDerivedAttributeDescription", "NSException",
        "NSExpression", "NSExpressionDescription", "NSFastEnumerationIterator", "NSHashTable", "NSInMemoryStoreType",
        "NSInferMappingModelAutomaticallyOption", "NSLocalizedFailureErrorKey", "NSMapTable",
        "NSMigratePersistentStoresAutomaticallyOption", "NSPointerFunctions", "NSPredicate", "NSPropertyDescription",
        "NSRelationshipDescription", "NSSQLiteStoreType", "NSSaveChangesRequest",
        "NSSecureUnarchiveFromDataTransformer", "NSSnapshotEventType", "NSSortDescriptor", "NSXMLStoreType",
        "ValueTransformer", "autoreleasepool",
        "kCFBundleExecutableKey", "kCFBundleIdentifierKey", "kCFBundleNameKey", "kCFBundleVersionKey",
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

    /// The beginnings of the names that a module declares, where they tell it.
    private static let prefixes: [String: [String]] = [
        "ARKit": ["AR"], "AVFoundation": ["AV", "AVURL", "CM"], "AVKit": ["AV"],
        "Accelerate": ["vDSP_", "vImage", "vImage_"],
        "AuthenticationServices": ["AS"], "BackgroundTasks": ["BG"], "CloudKit": ["CK"], "CommonCrypto": ["CC_", "kCC"],
        "Contacts": ["CN"], "CoreBluetooth": ["CB"], "CoreGraphics": ["CG"], "CoreImage": ["CI"],
        "CoreLocation": ["CL"], "CoreMedia": ["CM"], "CoreMotion": ["CM"], "CoreServices": ["UT", "kUT"],
        "CoreSpotlight": ["CS"], "CoreTelephony": ["CT"], "EventKit": ["EK"], "HealthKit": ["HK"],
        "ImageIO": ["CGImage", "kCGImage"], "Intents": ["IN"], "LocalAuthentication": ["LA"], "MapKit": ["MK", "CL"],
        "MediaPlayer": ["MP"], "MessageUI": ["MF"], "MobileCoreServices": ["UT", "kUT"], "Network": ["NW"],
        "Photos": ["PH"], "QuartzCore": ["CA"], "SafariServices": ["SF"], "Security": ["Sec", "kSec"],
        "StoreKit": ["SK"], "SwiftUI": ["UI"], "SystemConfiguration": ["SC", "kSC"], "UIKit": ["UI"],
        "UniformTypeIdentifiers": ["UT"], "UserNotifications": ["UN"], "Vision": ["VN"], "WatchConnectivity": ["WC"],
        "WatchKit": ["WK"], "WebKit": ["WK"],
    ]
    /// Names of CoreGraphics that Foundation has on Linux.
    private static let geometry: Set<String> = ["CGFloat", "CGPoint", "CGRect", "CGSize"]

    /// Whether a name is one of a module by its beginning, as `UIColor` and `vDSP_rmsqv`.
    static func isName(_ word: String, of module: String) -> Bool {
        (prefixes[module] ?? []).contains { prefix in
            guard word.hasPrefix(prefix), !geometry.contains(word) else { return false }
            let rest = word.dropFirst(prefix.count)
            if prefix.hasSuffix("_") { return true }
            return rest.first?.isUppercase == true && rest.dropFirst().first?.isLowercase == true
        }
    }
}
