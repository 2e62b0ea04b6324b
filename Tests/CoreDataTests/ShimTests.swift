import CoreData
import Testing

@Suite("What Foundation on Linux lacks")
struct ShimTests {
    private static let name = Notification.Name("ShimTests")

    @Test("Notifications arrive in their order, those of other objects and names do not")
    func notifications() async throws {
        let center = NotificationCenter()
        let (own, other) = (NSObject(), NSObject())
        var iterator = center.notifications(named: Self.name, object: own).makeAsyncIterator()
        center.post(name: Self.name, object: other)
        center.post(name: .init("other"), object: own)
        for number in 1...3 { center.post(name: Self.name, object: own, userInfo: ["number": number]) }
        for number in 1...3 {
            let notification = await iterator.next()
            #expect(notification?.userInfo?["number"] as? Int == number)
        }
    }

    @Test("A loop over notifications ends with its task")
    func cancellation() async {
        let center = NotificationCenter()
        let task = Task {
            var count = 0
            for await _ in center.notifications(named: Self.name) { count += 1 }
            return count
        }
        task.cancel()
        #expect(await task.value == 0)
    }

    @Test("Collections have values for keys and paths, with operators")
    func keyValueCoding() {
        let array = NSArray(array: ["ab", "c"].map { $0 as NSString })
        #expect(array.value(forKey: "length") as? [Int] == [2, 1])
        #expect(array.value(forKeyPath: "@sum.length") as? Int == 3)
        #expect(NSSet(array: ["ab", "cd"]).value(forKey: "length") as? NSSet == NSSet(array: [2]))
        #expect(NSSet(array: ["ab", "c"]).value(forKeyPath: "@max.length") as? Int == 2)
        #expect(
            NSOrderedSet(array: ["ab", "c"]).value(forKey: "length") as? NSOrderedSet == NSOrderedSet(array: [2, 1]))
        #expect(NSOrderedSet(array: ["ab", "c"]).value(forKeyPath: "@count") as? Int == 2)
        let inner = NSDictionary(dictionary: ["b": 1])
        #expect(NSDictionary(dictionary: ["a": inner]).value(forKeyPath: "a.b") as? Int == 1)
    }

    @Test("Index paths that are objects have a section with a row or an item")
    func indexPaths() {
        let place = NSIndexPath(row: 2, section: 1)
        #expect(place == NSIndexPath(item: 2, section: 1))
        #expect(place.section == 1 && place.row == 2 && place.item == 2)
        #expect((IndexPath(item: 4, section: 3) as NSIndexPath).row == 4)
    }

    @Test("Sets and ordered sets have the iterator of Apple's name, and the clock has seconds since 2001")
    func coreFoundation() {
        #expect(NSLocalizedFailureErrorKey == "NSLocalizedFailure")
        var iterator: NSFastEnumerationIterator = NSSet(array: ["a"]).makeIterator()
        #expect(iterator.next() as? String == "a")
        iterator = NSMutableOrderedSet(array: ["b"]).makeIterator()
        #expect(iterator.next() as? String == "b")
        let before: CFAbsoluteTime = Date.timeIntervalSinceReferenceDate
        #expect(CFAbsoluteTimeGetCurrent() >= before)
    }

    @Test("A default is read and set by key-value coding")
    func defaults() throws {
        let suite = "ShimTests-\(UUID())"
        let defaults = try #require(UserDefaults(suiteName: suite))
        defer { defaults.removePersistentDomain(forName: suite) }
        defaults.setValue("a", forKey: "key")
        #expect(defaults.value(forKey: "key") as? String == "a")
        defaults.setValue(nil, forKey: "key")
        #expect(defaults.value(forKey: "key") == nil)
    }

    @Test("A text without a table is its key with its values")
    func localized() {
        let (count, name) = (2, "Ada")
        #expect(String(localized: "100% of \(count) for \(name)", comment: "a comment") == "100% of 2 for Ada")
        #expect(String(localized: "key", defaultValue: "\(count) orders") == "2 orders")
        #expect(String(localized: "half: \(0.5)") == "half: 0.5")
    }

    @Test("A text of a table has the values in its places")
    func table() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "ShimTests-\(UUID()).bundle")
        defer { try? FileManager.default.removeItem(at: folder) }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let text = "\"%lld of %@\" = \"%2$@ hat %1$lld, 5%%\";\n"
        try Data(text.utf8).write(to: folder.appending(path: "Shop.strings"))
        let bundle = try #require(Bundle(url: folder))
        let (count, name) = (2, "Ada")
        #expect(String(localized: "\(count) of \(name)", table: "Shop", bundle: bundle) == "Ada hat 2, 5%")
    }

    @Test("A pool gives what its closure gives")
    func pool() throws {
        #expect(autoreleasepool { 1 } == 1)
        #expect(throws: CancellationError.self) { try autoreleasepool { throw CancellationError() } }
    }

    @Test("The user's folders are those of the file manager")
    func folders() throws {
        let caches = FileManager.default.urls(for: .cachesDirectory, in: .userDomainMask)
        #expect(URL.cachesDirectory == caches.first)
        #expect(URL.documentsDirectory != URL.applicationSupportDirectory)
        #expect(URL.libraryDirectory.isFileURL && URL.downloadsDirectory.isFileURL)
        #expect(NSURL.fileURL(withPath: "/a") == URL(fileURLWithPath: "/a"))
        #expect(NSURL.fileURL(withPath: "/a", isDirectory: true).hasDirectoryPath)
        #expect(FileProtectionType.complete != .none)
        #expect(kCFURLIsExcludedFromBackupKey == "NSURLIsExcludedFromBackupKey")
    }

    @Test("A group of applications has a folder")
    func group() throws {
        let group = "group.\(UUID())"
        let folder = try #require(FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: group))
        defer { try? FileManager.default.removeItem(at: folder) }
        #expect(try folder.checkResourceIsReachable() && folder.lastPathComponent == group)
    }

    @Test("A bookmark leads to its file, as long as that is there")
    func bookmarks() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "ShimTests-\(UUID())")
        try Data().write(to: file)
        let bookmark = try file.bookmarkData(options: .minimalBookmark)
        var isStale = true
        let found = try URL(resolvingBookmarkData: bookmark, options: .withoutUI, bookmarkDataIsStale: &isStale)
        #expect(found.path == file.standardizedFileURL.path && !isStale)
        #expect(file.startAccessingSecurityScopedResource())
        file.stopAccessingSecurityScopedResource()
        try FileManager.default.removeItem(at: file)
        #expect(throws: (any Error).self) { try file.bookmarkData() }
        #expect(throws: (any Error).self) { try URL(resolvingBookmarkData: bookmark, bookmarkDataIsStale: &isStale) }
    }

    @Test("An exception says what happened, and stops the program when it is raised")
    func exception() async {
        let exception = NSException(name: .genericException, reason: "no entity")
        #expect(exception.name.rawValue == "NSGenericException" && exception.reason == "no entity")
        #expect(exception.userInfo == nil)
        await #expect(processExitsWith: .failure) { NSException(name: .rangeException, reason: nil).raise() }
    }

    @Test("Queues are compared")
    func queues() {
        let (one, other) = (DispatchQueue(label: "one"), DispatchQueue(label: "one"))
        #expect(one == one && one != other)
        #expect(!(one == other))
    }

    private final class Listener {}

    @Test("A weak table drops objects that nothing else retains, also many")
    func weakTable() {
        let (table, kept) = (NSHashTable<Listener>.weakObjects(), Listener())
        for listener in [kept, kept] { table.add(listener) }
        for _ in 1...100 { table.add(Listener()) }
        #expect(table.count == 1 && table.anyObject === kept && table.contains(kept))
        table.remove(kept)
        #expect(table.allObjects.isEmpty)
    }

    @Test("A table compares objects by their equality, or by identity if asked for")
    func tableEquality() {
        let texts = (1...2).map { _ in NSMutableString(string: "a") }
        func count(_ options: NSPointerFunctions.Options) -> Int {
            let table = NSHashTable<NSMutableString>(options: options)
            for text in texts { table.add(text) }
            return table.count
        }
        #expect(count(.strongMemory) == 1 && count(.objectPointerPersonality) == 2)
        #expect(NSHashTable<NSString>().member("a") == nil)
    }

    @Test("A dictionary drops keys and values that nothing else retains, as its options say")
    func mapTable() {
        let (key, value) = (Listener(), Listener())
        let byKey = NSMapTable<Listener, NSString>.weakToStrongObjects()
        for _ in 1...100 { byKey.setObject("lost", forKey: Listener()) }
        byKey.setObject("a", forKey: key)
        byKey.setObject("b", forKey: key)
        #expect(byKey.count == 1 && byKey.object(forKey: key) == "b")
        let byName = NSMapTable<NSString, Listener>.strongToWeakObjects()
        byName.setObject(value, forKey: "a")
        byName.setObject(Listener(), forKey: "b")
        #expect(byName.keyEnumerator().allObjects as? [NSString] == ["a"])
        #expect(byName.object(forKey: "a") === value && byName.object(forKey: "b") == nil)
        byName.removeObject(forKey: "a")
        #expect(byName.count == 0 && byName.objectEnumerator()?.nextObject() == nil)
    }

    @Test(
        "Elements are moved in front of the one that a list shows at the place",
        arguments: [([0], 3, "bcad"), ([1, 3], 0, "bdac"), ([2], 4, "abdc"), ([0, 2], 2, "bacd"), ([1], 1, "abcd")])
    func moves(_ source: [Int], _ destination: Int, _ result: String) {
        var letters = Array("abcd")
        letters.move(fromOffsets: IndexSet(source), toOffset: destination)
        #expect(String(letters) == result)
        letters.remove(atOffsets: IndexSet(source))
        #expect(letters.count == 4 - source.count)
    }
}
