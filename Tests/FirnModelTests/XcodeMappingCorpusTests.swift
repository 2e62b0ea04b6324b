import FirnFoundation
import FirnModel
import Foundation
import ModelGeneration
import TestSupport
import Testing

/// Mapping models that Xcode wrote and compiled.
@Suite("Mapping models of the corpus", .needsCorpus)
struct XcodeMappingCorpusTests {
    private let source = "mappings/alemar11__CoreDataPlus/V2toV3.xcmappingmodel"
    private let compiled = "compiled/alemar11__CoreDataPlus/V2toV3.cdm"
    private let moody = "mappings/objcio__core-data"

    private func load(_ path: String) throws -> NSMappingModel {
        try NSMappingModel.load(contentsOf: Corpus.url(path))
    }

    /// Everything that a mapping says, but for its hashes.
    private func lines(_ model: NSMappingModel) -> [String] {
        model.entityMappings.flatMap { mapping -> [String] in
            let names = [
                mapping.name, mapping.sourceEntityName, mapping.destinationEntityName,
                mapping.entityMigrationPolicyClassName, mapping.sourceExpression?.description,
            ]
            let head = names.map { $0 ?? "nothing" }.joined(separator: " ")
                + " \(mapping.mappingType) \(mapping.userInfo ?? [:])"
            func text(_ properties: [NSPropertyMapping]?) -> [String] {
                (properties ?? []).map { "  \($0.name ?? "") = \($0.valueExpression?.description ?? "nothing")" }
            }
            return [head] + text(mapping.attributeMappings) + text(mapping.relationshipMappings)
        }
    }

    @Test("The XML of a mapping model gives every expression of the file that Xcode compiled of it")
    func compiledAlike() throws {
        let (ours, theirs) = (lines(try load(source)), lines(try load(compiled)))
        #expect(ours.count == 31)
        for (ours, theirs) in zip(ours, theirs) { #expect(ours == theirs) }
    }

    @Test("A relationship that no relationship of the source has gets nothing, an attribute likewise")
    func nothing() throws {
        let model = try load("\(moody)/Moody 5-Moody 6.xcmappingmodel")
        let mapping = try #require(model.entityMappingsByName["CountryToCountry"])
        let continent = mapping.relationshipMappings?.first { $0.name == "continent" }
        #expect(continent != nil && continent?.valueExpression == nil)
    }

    @Test("A key path that begins at the source object is taken from there")
    func keyPaths() throws {
        let model = try load("\(moody)/Moody 2-Moody 3.xcmappingmodel")
        func value(_ mapping: String, _ name: String) -> String? {
            model.entityMappingsByName[mapping]?.relationshipMappings?.first { $0.name == name }?
                .valueExpression?.description
        }
        let call = "FUNCTION($manager, \"destinationInstancesForEntityMappingNamed:sourceInstances:\", "
        #expect(value("MoodToMood", "continent") == call + "\"ContinentToContinent\", $source.country.continent)")
        #expect(
            value("ContinentToContinent", "moods")
                == call + "\"MoodToMood\", $source.countries.@distinctUnionOfSets.moods)")
    }

    @Test("The copies of the models in the XML have the version hashes of the models themselves")
    func copies() throws {
        var pairs = [("models/alemar11__CoreDataPlus/SampleModel.xcdatamodeld", "SampleModel2", "SampleModel3", source)]
        for number in 2...5 {
            let (old, new) = ("Moody \(number)", "Moody \(number + 1)")
            let folder = "models/objcio__core-data/Moody.xcdatamodeld"
            pairs.append((folder, old, new, "\(moody)/\(old)-\(new).xcmappingmodel"))
        }
        for (folder, old, new, mapping) in pairs {
            let models = try [old, new].map {
                try NSManagedObjectModel.load(contentsOf: Corpus.url("\(folder)/\($0).xcdatamodel")).model
            }
            for mapping in try load(mapping).entityMappings {
                let before = mapping.sourceEntityName.flatMap { models[0].entitiesByName[$0]?.versionHash }
                let after = mapping.destinationEntityName.flatMap { models[1].entitiesByName[$0]?.versionHash }
                #expect(mapping.sourceEntityVersionHash == before, "\(old) \(mapping.name ?? "")")
                #expect(mapping.destinationEntityVersionHash == after, "\(new) \(mapping.name ?? "")")
            }
        }
    }

    @Test("Of several mapping models the one that was made for both versions is used, and none for other pairs")
    func choice() throws {
        let bundle = try #require(Bundle(url: Corpus.url(moody)))
        let versions = try (1...6).map { number in
            let name = number == 1 ? "Moody" : "Moody \(number)"
            let url = Corpus.url("models/objcio__core-data/Moody.xcdatamodeld/\(name).xcdatamodel")
            return try NSManagedObjectModel.load(contentsOf: url).model
        }
        for (old, source) in versions.enumerated() {
            for (new, destination) in versions.enumerated() {
                let found = NSMappingModel(from: [bundle], forSourceModel: source, destinationModel: destination)
                #expect((found != nil) == (old >= 1 && new == old + 1), "\(old + 1) to \(new + 1)")
            }
        }
    }

    @Test("A compiled mapping model is used for its versions only, with models of Xcode's, of ours and as files")
    func compiledChoice() throws {
        let bundle = try #require(Bundle(url: Corpus.url("compiled/alemar11__CoreDataPlus")))
        let names = ["SampleModel", "SampleModel2", "SampleModel3"]
        let source = Corpus.url("models/alemar11__CoreDataPlus/SampleModel.xcdatamodeld")
        try withTemporaryDirectory { folder in
            let own = folder.appending(path: "SampleModel.momd")
            _ = try CompiledModelBundle.write(ModelBundle(contentsOf: source), to: own)
            for folder in [Corpus.url("compiled/alemar11__CoreDataPlus/SampleModel.momd"), source, own] {
                let suffix = folder.pathExtension == "momd" ? "mom" : "xcdatamodel"
                let versions = try names.map {
                    try NSManagedObjectModel.load(contentsOf: folder.appending(path: "\($0).\(suffix)")).model
                }
                for (old, source) in versions.enumerated() {
                    for (new, destination) in versions.enumerated() {
                        let found = NSMappingModel(
                            from: [bundle], forSourceModel: source, destinationModel: destination)
                        #expect((found != nil) == (old == 1 && new == 2), "\(folder) \(names[old]) to \(names[new])")
                    }
                }
            }
        }
    }
}
