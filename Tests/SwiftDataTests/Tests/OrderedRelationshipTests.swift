import Foundation
import SwiftData
import Testing

@Model
final class Playlist {
    var name: String
    @Relationship(.ordered, inverse: \Song.lists) var songs: [Song] = []
    @Relationship(.ordered, deleteRule: .cascade, inverse: \Mark.list) var marks: [Mark]?

    init(name: String) { self.name = name }
}

@Model
final class Song {
    var title: String
    var lists: [Playlist] = []

    init(title: String) { self.title = title }
}

@Model
final class Mark {
    var text: String
    var list: Playlist?

    init(text: String) { self.text = text }
}

@Suite("To-many relationships that keep the order of the array")
struct OrderedRelationshipTests {
    let container: ModelContainer
    let context: ModelContext
    let list = Playlist(name: "L")

    init() throws {
        let memory = ModelConfiguration(isStoredInMemoryOnly: true)
        container = try ModelContainer(for: Playlist.self, configurations: memory)
        context = ModelContext(container)
        let songs = ["a", "b", "c"].map { Song(title: $0) }
        for song in songs { context.insert(song) }
        list.songs = [songs[2], songs[0], songs[1]]
        list.marks = ["z", "x", "y"].map { Mark(text: $0) }
        context.insert(list)
        try context.save()
    }

    private func saved() throws -> (songs: [String], marks: [String]) {
        let list = try #require(try ModelContext(container).fetch(FetchDescriptor<Playlist>()).first)
        return (list.songs.map(\.title), list.marks?.map(\.text) ?? [])
    }

    @Test("the order is saved, between many and many, and between one and many")
    func saving() throws {
        #expect(try saved() == (["c", "a", "b"], ["z", "x", "y"]))
    }

    @Test("moving, inserting and removing change the order")
    func changes() throws {
        list.songs.insert(Song(title: "n"), at: 1)
        list.songs.swapAt(0, 3)
        list.marks?.remove(at: 1)
        #expect(list.songs.map(\.title) == ["b", "n", "a", "c"])
        try context.save()
        #expect(try saved() == (["b", "n", "a", "c"], ["z", "y"]))
        list.songs.reverse()
        try context.save()
        #expect(try saved().songs == ["c", "a", "n", "b"])
    }

    @Test("what is added from the other side comes last, and what is deleted leaves no gap")
    func otherSide() throws {
        let (mark, song) = (Mark(text: "w"), Song(title: "d"))
        mark.list = list
        song.lists = [list]
        context.insert(song)
        let second = try #require(list.songs.dropFirst().first)
        context.delete(second)
        try context.save()
        #expect(try saved() == (["c", "b", "d"], ["z", "x", "y", "w"]))
    }

    @Test("models in no context keep the order, and rolling back restores it")
    func unsaved() throws {
        let new = Playlist(name: "N")
        new.songs = [Song(title: "2"), Song(title: "1")]
        #expect(new.songs.map(\.title) == ["2", "1"])
        list.songs.reverse()
        context.rollback()
        #expect(list.songs.map(\.title) == ["c", "a", "b"])
    }

    @Test("two contexts that reorder and append both keep what they added")
    func twoContexts() throws {
        let other = ModelContext(container)
        let same = try #require(try other.fetch(FetchDescriptor<Playlist>()).first)
        _ = same.songs.map(\.title)
        list.songs.reverse()
        try context.save()
        same.songs.append(Song(title: "d"))
        try other.save()
        #expect(Set(try saved().songs) == ["a", "b", "c", "d"])
        #expect(try saved().songs.last == "d")
    }
}
