import SwiftTokens

extension Porter {
    /// `center.addObserver(self, selector: #selector(changed(_:)), name: …)`: the method is passed instead of its name.
    mutating func portObserver(at index: Int) {
        guard source.isSign("(", at: index + 1), source.isWord("selector", at: index - 2),
            let open = callOpening(around: index), source.isWord("addObserver", at: open - 1)
        else { return }
        let close = source.close(of: index + 1)
        let first = index + 2
        guard first < close else { return }
        let names = source.text(of: source.range(of: first...(close - 1)))
        let method: String
        if let base = variableBase(at: first, of: open) {
            // The compiler knows the type of the observer that the method is called on.
            method = "{ $0\(names.dropFirst(base.utf8.count)) }"
        } else if source.text(at: first).first?.isUppercase == true {
            method = names
        } else if let type = outline.type(around: index) {
            let isOwn = source.isWord("self", at: first) && source.isSign(".", at: first + 1)
            method = portedName(type.name) + "." + names.dropFirst(isOwn ? "self.".utf8.count : 0)
        } else {
            return
        }
        let range = source.range(of: index...close)
        report(.observer, at: index, source.text(of: range))
        replace(range, with: method)
        replace(source.tokens[open - 1].range, with: "addPortedObserver")
        support.insert(.observer)
        portedSelectors.insert(index)
    }

    /// The variable that a selector's method belongs to, if it is the observer itself: `strongSelf.changed(_:)`.
    private func variableBase(at first: Int, of open: Int) -> String? {
        let base = source.text(at: first)
        guard base != "self", base.first?.isLowercase == true, source.isSign(".", at: first + 1),
            source.isWord(base, at: open + 1), source.isSign(",", at: open + 2)
        else { return nil }
        return base
    }

    private static let comparisons: Set<String> = [
        "compare", "caseInsensitiveCompare", "localizedCompare", "localizedCaseInsensitiveCompare",
        "localizedStandardCompare",
    ]

    /// `#selector(NSString.localizedStandardCompare(_:))` of a sort descriptor becomes its name.
    mutating func portComparison(at index: Int) {
        guard source.isSign("(", at: index + 1), source.isSign(".", at: index + 3),
            Self.comparisons.contains(source.text(at: index + 4)),
            source.text(at: index + 2).first?.isUppercase == true
        else { return }
        let isFull = source.isSign("(", at: index + 5)
        if isFull, !(source.isWord("_", at: index + 6) && source.isSign(")", at: index + 8)) { return }
        let range = source.range(of: index...source.close(of: index + 1))
        report(.comparison, at: index, source.text(of: range))
        let breaks = String(repeating: "\n", count: source.lineCount(in: range))
        replace(range, with: "Selector(\"\(source.text(at: index + 4)):\")" + breaks)
        portedSelectors.insert(index)
    }

    /// Whether `Selector("compare:")` names a comparison, which a sort descriptor finds by its name.
    func isComparison(_ place: Int) -> Bool {
        let name = (place..<source.close(of: place + 1)).first { source.tokens[$0].kind == .literal }
        return name.map { Self.comparisons.contains(source.text(at: $0).filter(\.isLetter)) } ?? false
    }

    /// `center.removeObserver(self)`.
    mutating func portRemoval(at index: Int) {
        guard source.isSign(".", at: index - 1), source.isSign("(", at: index + 1) else { return }
        let receiver = source.text(at: index - 2).lowercased()
        let arguments = (index + 2)..<source.close(of: index + 1)
        guard receiver.hasSuffix("center") || source.isWord("default", at: index - 2),
            !arguments.contains(where: { source.isWord("forKeyPath", at: $0) })
        else { return }
        guard isIndexing || self.index.support.contains(.observer) else { return }
        replace(source.tokens[index].range, with: "removePortedObserver")
    }

    /// The parenthesis of the call that a token is an argument of.
    func callOpening(around index: Int) -> Int? {
        var depth = 0
        for place in stride(from: index - 1, through: 0, by: -1) {
            if source.isSign(")", at: place) { depth += 1 }
            if source.isSign("(", at: place) { depth -= 1 }
            if depth < 0 { return place }
        }
        return nil
    }
}

extension PortSupport {
    static let observerText = """
        /// The observers that are methods, by the object that has them.
        private final class PortedObservers: @unchecked Sendable {
            static let shared = PortedObservers()
            private let lock = NSLock()
            private var entries: [Entry] = []

            struct Entry {
                var observer: ObjectIdentifier
                var isThere: () -> Bool
                var name: Notification.Name?
                var sender: ObjectIdentifier?
                var token: NSObjectProtocol

                func isOf(_ other: (ObjectIdentifier, Notification.Name?, ObjectIdentifier?)) -> Bool {
                    observer == other.0 && (other.1 == nil || name == other.1)
                        && (other.2 == nil || sender == other.2)
                }
            }

            func add(_ entry: Entry) {
                let gone = lock.withLock {
                    let gone = entries.filter { !$0.isThere() }
                    entries.removeAll { !$0.isThere() }
                    entries.append(entry)
                    return gone
                }
                for entry in gone { NotificationCenter.default.removeObserver(entry.token) }
            }

            func remove(_ observer: AnyObject, _ name: Notification.Name?, _ object: Any?) -> [NSObjectProtocol] {
                let entry = (ObjectIdentifier(observer), name, object.map { ObjectIdentifier($0 as AnyObject) })
                return lock.withLock {
                    let leaving = entries.filter { $0.isOf(entry) }
                    entries.removeAll { $0.isOf(entry) }
                    return leaving.map(\\.token)
                }
            }
        }

        extension NotificationCenter {
            /// `addObserver(_:selector:name:object:)`, with the method itself.
            func addPortedObserver<Observer: AnyObject>(
                _ observer: Observer, selector method: @escaping (Observer) -> (Notification) -> Void,
                name: Notification.Name?, object: Any?
            ) {
                nonisolated(unsafe) let call: (Notification) -> Void = { [weak observer] notification in
                    if let observer { method(observer)(notification) }
                }
                let token = addObserver(forName: name, object: object, queue: nil) { call($0) }
                PortedObservers.shared.add(
                    .init(
                        observer: ObjectIdentifier(observer), isThere: { [weak observer] in observer != nil },
                        name: name, sender: object.map { ObjectIdentifier($0 as AnyObject) }, token: token))
            }

            func addPortedObserver<Observer: AnyObject>(
                _ observer: Observer, selector method: @escaping (Observer) -> () -> Void, name: Notification.Name?,
                object: Any?
            ) {
                addPortedObserver(
                    observer, selector: { observer in { _ in method(observer)() } }, name: name, object: object)
            }

            /// A method that throws: nobody catches its error, as on Apple's systems.
            @_disfavoredOverload
            func addPortedObserver<Observer: AnyObject>(
                _ observer: Observer, selector method: @escaping (Observer) -> (Notification) throws -> Void,
                name: Notification.Name?, object: Any?
            ) {
                addPortedObserver(
                    observer, selector: { observer in { notification in try? method(observer)(notification) } },
                    name: name, object: object)
            }

            /// `removeObserver(_:name:object:)`, of methods too.
            func removePortedObserver(_ observer: Any, name: Notification.Name? = nil, object: Any? = nil) {
                for token in PortedObservers.shared.remove(observer as AnyObject, name, object) {
                    removeObserver(token)
                }
                removeObserver(observer, name: name, object: object)
            }
        }

        """
}
