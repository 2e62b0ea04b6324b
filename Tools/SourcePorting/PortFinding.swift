/// A place of a source that is ported, or that cannot be.
package struct PortFinding: Hashable, Sendable {
    package enum Kind: String, CaseIterable, Sendable {
        case attribute, dynamic, keyPath, lackingModule, submodule, missingImport, requestCast, setLiteral
        case resultProtocol, observer, optionalMethod, bundle, override, privateClass, renamedType, className,
            objectiveCProtocol
        case classMethod, qualifiedName, resourceList, requiredInitializer, openCombine, declaration, mainActorTest
        case foundationCall, objectCast, localClass, comparison, migrationMethod, dependentKey
        // What is left to a person.
        case selector, observation, optionalRequirement, publisher, view, interface, cloud, runtime, entryPoint,
            platform, foundation
        case validation, overrideElsewhere, extensionOverride, castPattern, memberName
        // What is left in a source by `firn port apply`.
        case unwritten
    }

    package var kind: Kind
    package var file: String
    package var line: Int
    /// The source's own words.
    package var text: String

    package init(_ kind: Kind, file: String, line: Int, text: String) {
        self.kind = kind
        self.file = file
        self.line = line
        self.text = text
    }
}

extension PortFinding.Kind {
    /// Whether the plugin rewrites the place; the others need an edit.
    package var isPorted: Bool {
        switch self {
        case .attribute, .dynamic, .keyPath, .lackingModule, .submodule, .missingImport, .requestCast, .setLiteral,
            .resultProtocol, .observer, .optionalMethod, .bundle, .override, .privateClass, .renamedType, .className,
            .objectiveCProtocol, .classMethod, .qualifiedName, .resourceList, .requiredInitializer,
            .openCombine, .declaration, .mainActorTest, .foundationCall,
            .objectCast, .localClass, .comparison, .migrationMethod, .dependentKey:
            true
        case .selector, .observation, .optionalRequirement, .publisher, .view, .interface, .cloud, .runtime,
            .entryPoint, .platform, .foundation, .validation, .overrideElsewhere, .extensionOverride, .castPattern,
            .memberName, .unwritten:
            false
        }
    }

    /// What the plugin does, or what a person does.
    package var remedy: String {
        switch self {
        case .attribute: "left out"
        case .dynamic: "left out"
        case .keyPath: "becomes its text; the compiler checks it as a key path"
        case .lackingModule: "imported where it can be"
        case .submodule: "the module is imported"
        case .missingImport: "the import is added"
        case .requestCast: "becomes a copy of the request with the other type"
        case .setLiteral: "becomes an initializer with an array"
        case .resultProtocol: "gets 'any'; an associated type need not conform to it"
        case .observer: "the method is passed instead of its name"
        case .optionalMethod: "becomes a requirement with an empty default implementation"
        case .bundle: "becomes Bundle.module"
        case .override: "is compiled in the class"
        case .privateClass: "becomes internal, so that its accessors and models can reach it"
        case .renamedType: "gets a name of its own, as another file declares the name"
        case .className: "models find the class by this name"
        case .objectiveCProtocol: "gets AnyObject"
        case .classMethod: "becomes the property, or the class itself"
        case .resourceList: "has values of URL, as on Apple's systems"
        case .requiredInitializer: "is required here"
        case .openCombine: "becomes OpenCombine's"
        case .declaration: "is declared for the target"
        case .localClass: "is compiled in the type around the function, where its accessors can reach it"
        case .objectCast: "becomes a call that gives the value's object"
        case .comparison: "is found by its name"
        case .migrationMethod: "answers a mapping model's calls of its methods"
        case .dependentKey: "a change of it is one of the operation's keys that depend on it"
        case .foundationCall: "becomes what Foundation on Linux has"
        case .mainActorTest: "is called by a test of no actor, as XCTest on Linux calls no other"
        case .qualifiedName: "becomes the declaration of this name that Linux has"
        case .selector: "use a closure, as in a timer's block"
        case .observation: "use the context's notifications or NSManagedObjectContext.events"
        case .optionalRequirement: "make it a requirement with a default implementation in an extension"
        case .publisher: "depend on OpenCombine, leave the file out, or guard the part by canImport(Combine)"
        case .view: "SwiftUI is not there: leave the file out, or guard the part by canImport(SwiftUI)"
        case .interface: "UIKit, AVFoundation and their like are not there: leave the file out, or guard by canImport"
        case .cloud: "CloudKit is not there: guard the part by canImport(CloudKit)"
        case .runtime: "the Objective-C runtime is not there: guard the part by canImport(ObjectiveC)"
        case .entryPoint: "leave the file out"
        case .foundation: "Foundation on Linux lacks it: leave the file out, or write a stand-in"
        case .platform: "no branch is for Linux: add '#else', or leave the file out and write a stand-in"
        case .validation: "override validateValue(_:forKey:) and switch over the key"
        case .overrideElsewhere: "move the member into its class, which is in no file of the target"
        case .extensionOverride: "Swift overrides no member of an extension here: declare the member in a base class"
        case .castPattern: "cast with 'as?' before the switch"
        case .unwritten:
            "only the plugin does it: give the statement lines of its own, or move the member into its class"
        case .memberName: "key-value coding finds the Swift name only: give both one name"
        }
    }
}
