/// The version hashes that Apple's Core Data wrote into the metadata of the corpus' stores: the first four bytes.
///
/// Read once with SQL from `Z_METADATA`. Ours are other bytes; equal must be equal here and there.
enum AppleVersionHashes {
    static let byStore: [(store: String, hashes: [String: String])] = [
        (
            "stores/alemar11__CoreDataPlus/SampleModel2_V1.sqlite",
            [
                "Author": "07b88ab7",
                "Book": "01e4ee17",
                "Feedback": "cb46793d",
                "GraphicNovel": "a6863b3e",
                "Page": "9ee9445f",
                "Writer": "d54efab5",
            ]
        ),
        (
            "stores/alemar11__CoreDataPlus/SampleModel2_V2.sqlite",
            [
                "Author": "a5af92dc",
                "Book": "33ac3733",
                "Feedback": "cb46793d",
                "GraphicNovel": "7073b5a0",
                "Page": "9ee9445f",
                "Writer": "d54efab5",
            ]
        ),
        (
            "stores/alemar11__CoreDataPlus/SampleModel3_V1.sqlite",
            [
                "User": "6b31f4e9"
            ]
        ),
        (
            "stores/alemar11__CoreDataPlus/SampleModel_V1.sqlite",
            [
                "Car": "9e555529",
                "ExpensiveSportCar": "3dc7e32b",
                "Person": "16426855",
                "SportCar": "514ec190",
            ]
        ),
        (
            "stores/alemar11__CoreDataPlus/SampleModel_V2.sqlite",
            [
                "Car": "7e503efb",
                "LuxuryCar": "a873c559",
                "Person": "067ae62e",
                "SportCar": "722a55b5",
            ]
        ),
        (
            "stores/duckduckgo__BrowserServicesKit/Bookmarks_V1.sqlite",
            [
                "BookmarkEntity": "c37ad9b3"
            ]
        ),
        (
            "stores/duckduckgo__BrowserServicesKit/Bookmarks_V2.sqlite",
            [
                "BookmarkEntity": "99d65093"
            ]
        ),
        (
            "stores/duckduckgo__BrowserServicesKit/Bookmarks_V3.sqlite",
            [
                "BookmarkEntity": "698b764b"
            ]
        ),
        (
            "stores/duckduckgo__BrowserServicesKit/Bookmarks_V4.sqlite",
            [
                "BookmarkEntity": "6a086c95"
            ]
        ),
        (
            "stores/duckduckgo__BrowserServicesKit/Bookmarks_V5.sqlite",
            [
                "BookmarkEntity": "84f07c04"
            ]
        ),
        (
            "stores/duckduckgo__BrowserServicesKit/SyncMetadata_V3.sqlite",
            [
                "SyncFeatureEntity": "289b8970",
                "SyncableSettingsMetadata": "d3b4d556",
            ]
        ),
        (
            "stores/objcio__core-data/Moody 2.moody",
            [
                "Continent": "195eb3f2",
                "Country": "2ba027cc",
                "GeographicRegion": "c0e02516",
                "Mood": "4a3711e5",
            ]
        ),
        (
            "stores/objcio__core-data/Moody 3.moody",
            [
                "Continent": "194f5df6",
                "Country": "2ba027cc",
                "GeographicRegion": "c0e02516",
                "Mood": "19eed183",
            ]
        ),
        (
            "stores/objcio__core-data/Moody 4.moody",
            [
                "Continent": "7e7d574b",
                "Country": "4ae137bd",
                "Mood": "19eed183",
            ]
        ),
        (
            "stores/objcio__core-data/Moody 5.moody",
            [
                "Country": "db57b9da",
                "Mood": "4a3711e5",
            ]
        ),
        (
            "stores/objcio__core-data/Moody.moody",
            [
                "Continent": "195eb3f2",
                "Country": "2ba027cc",
                "GeographicRegion": "c0e02516",
                "Mood": "ed3f4675",
            ]
        ),
    ]
}
