import SwiftTokens

extension Porter {
    static let publishers: Set<String> = [
        "ObservableObject", "AnyCancellable", "AnyPublisher", "PassthroughSubject", "CurrentValueSubject", "Published",
        "objectWillChange",
    ]
    private static let viewAttributes: Set<String> = [
        "State", "StateObject", "ObservedObject", "EnvironmentObject", "Environment", "FetchRequest",
        "SectionedFetchRequest", "Binding", "AppStorage",
    ]
    private static let viewNames: Set<String> = [
        "Binding", "Color", "EnvironmentKey", "EnvironmentValues", "FetchedResults", "LocalizedStringKey",
        "PreviewProvider", "SectionedFetchResults", "ViewModifier",
    ]
    /// Names of UIKit that a file may use without its import, as imports leak on Apple's systems.
    private static let interfaceNames: Set<String> = [
        "UIApplication", "UIColor", "UIDevice", "UIImage", "UIScreen", "UITableView", "UIView", "UIViewController",
    ]
    /// Types that Foundation has on Apple's systems, and not on Linux up to Swift 6.3.
    private static let foundationNames: Set<String> = [
        "CFBundle", "CFDictionary", "CFString", "CFURL", "DistributedNotificationCenter", "InlinePresentationIntent",
        "ListFormatter", "NSAppleEventDescriptor", "NSBackgroundActivityScheduler", "NSBundleResourceRequest",
        "NSClassDescription", "NSDataDetector", "NSExtensionContext", "NSFileCoordinator", "NSFilePresenter",
        "NSFileVersion", "NSInvocation", "NSItemProvider", "NSLinguisticTagger", "NSMetadataQuery", "NSPointerArray",
        "NSProxy", "NSUbiquitousKeyValueStore", "NSUserActivity", "NSXPCConnection", "PresentationIntent",
        "RelativeDateTimeFormatter",
    ]
    private static let runtimeFunctions = ["objc_", "class_add", "class_get", "class_copy", "method_", "object_get"]

    /// The places that no rewriting makes work.
    func refusals() -> [PortFinding] {
        var found = source.chainsForOthers.map { chain in
            let line = source.text(of: chain.range.lowerBound..<source.lineEnd(chain.range.lowerBound))
            return PortFinding(.platform, file: source.path, line: chain.line, text: String(line.dropLast()))
        }
        for (index, token) in source.tokens.enumerated() {
            switch token.kind {
            case .directive
            where token.text == "#selector" && !isSelectorName(index) && !portedSelectors.contains(index):
                let text = source.text(of: source.range(of: index...source.close(of: index + 1)))
                found.append(PortFinding(.selector, file: source.path, line: token.line, text: text))
            case .word:
                guard let kind = refusal(at: index) else { break }
                found.append(PortFinding(kind, file: source.path, line: token.line, text: token.text))
            default: break
            }
        }
        return found
    }

    /// Whether `#selector` names a getter whose name alone is asked for.
    private func isSelectorName(_ index: Int) -> Bool {
        source.isSign("(", at: index - 1) && source.isWord("NSStringFromSelector", at: index - 2)
            && source.isWord("getter", at: index + 2)
    }

    private func refusal(at place: Int) -> PortFinding.Kind? {
        let word = source.text(at: place)
        let isCalled = source.isSign("(", at: place + 1)
        let isAttribute = source.isSign("@", at: place - 1)
        switch word {
        case "Selector" where isCalled: return isComparison(place) ? nil : .selector
        case "observe" where isCalled && source.isSign("\\", at: place + 2): return .observation
        case "publisher" where isCalled && source.isWord("for", at: place + 2) && isImported("Combine"):
            let receiver = source.text(at: place - 2).lowercased()
            return receiver == "default" || receiver.hasSuffix("center") ? nil : .observation
        case "NSKeyValueObservation": return .observation
        case "forKeyPath" where source.isSign("(", at: place - 1) && source.isWord("observeValue", at: place - 2):
            return .observation
        case "forKeyPath" where source.isSign(":", at: place + 1) && source.isSign(",", at: place - 1):
            let opening = callOpening(around: place) ?? 0
            if source.isWord("addObserver", at: opening - 1) { return .observation }
        case "optional" where source.isWord(at: place + 1) && outline.type(around: place)?.keyword == "protocol":
            if requirements.contains(place) { return nil }
            return .optionalRequirement
        case "UIApplicationMain" where isAttribute, "NSApplicationMain" where isAttribute: return .entryPoint
        case "override" where source.isModifier(at: place): return isOfExtension(place) ? .extensionOverride : nil
        case "waitsForConnectivity" where source.isSign("=", at: place + 1): return .foundation
        case _ where Self.foundationNames.contains(word) && !source.isSign(".", at: place - 1): return .foundation
        case "cloudKitContainerOptions": return .cloud
        case _ where word.hasPrefix("NSPersistentCloudKit"): return .cloud
        case "AutoreleasingUnsafeMutablePointer": return isChecked(place) ? nil : .validation
        case "View" where source.isSign(":", at: place - 1) || source.isWord("some", at: place - 1):
            return isImported("SwiftUI") ? .view : nil
        case _ where Self.viewNames.contains(word): if isImported("SwiftUI") { return .view }
        default: break
        }
        if Modules.lacking.contains(word) { return nil }
        if Self.publishers.contains(word) {
            if index.modules.contains("OpenCombine") || index.publishers.contains(word) { return nil }
            let isPlain = word == "objectWillChange" || word == "Published" && !isAttribute
            return !isPlain || ["Combine", "SwiftUI", "UIKit"].contains(where: isImported) ? .publisher : nil
        }
        if isAttribute, Self.viewAttributes.contains(word) { return isImported("SwiftUI") ? .view : nil }
        if word.hasPrefix("objc_sync_") || word.hasSuffix("etAssociatedObject") { return nil }
        if isCalled, Self.runtimeFunctions.contains(where: word.hasPrefix) { return .runtime }
        if Self.interfaceNames.contains(word) { return .interface }
        let module = lackingImports.first { Modules.isName(word, of: $0) }
        return module.map { $0 == "CloudKit" ? .cloud : .interface }
    }

    /// Whether a member overrides one that an extension of the target declares.
    private func isOfExtension(_ place: Int) -> Bool {
        let words = place..<min(place + 8, source.tokens.count)
        let keyword = words.first { ["func", "var"].contains(source.text(at: $0)) }
        return keyword.map { index.extensionMembers.contains(source.text(at: $0 + 1)) } ?? false
    }

    private func isImported(_ module: String) -> Bool { lackingImports.contains(module) }
}
