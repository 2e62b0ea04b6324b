import FirnLog
import FirnModel
import FirnProjection
import Testing

@Suite("The tables of a model")
struct LayoutTests {
    @Test("are one for a root entity with its subentities, and one for links")
    func definitions() {
        let layout = SampleModel.schema().layout
        #expect(
            layout.tableDefinitions == [
                #"CREATE TABLE "Animal"(Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER NOT NULL, "#
                    + #"Z_OPT INTEGER NOT NULL, "name" TEXT, "owner" INTEGER, "weight", "#
                    + #""Z_ORD_owner" INTEGER, "wingspan" TEXT, "barks" INTEGER)"#,
                #"CREATE TABLE "Person"(Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER NOT NULL, "#
                    + #"Z_OPT INTEGER NOT NULL, "age" INTEGER, "best" INTEGER, "Z_ENT_best" INTEGER, "#
                    + #""born", "id" BLOB, "image" BLOB, "isAdult" INTEGER, "money" TEXT, "#
                    + #""name" TEXT, "page" TEXT, "score")"#,
                #"CREATE TABLE "Tag"(Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER NOT NULL, "#
                    + #"Z_OPT INTEGER NOT NULL, "label" TEXT)"#,
                #"CREATE TABLE "Z_Person_friendOf"(Z_SRC INTEGER NOT NULL, Z_DST INTEGER NOT NULL, "#
                    + "PRIMARY KEY (Z_SRC, Z_DST)) WITHOUT ROWID",
                #"CREATE TABLE "Z_Person_tags"(Z_SRC INTEGER NOT NULL, Z_DST INTEGER NOT NULL, "#
                    + "Z_SRC_ORD INTEGER NOT NULL, PRIMARY KEY (Z_SRC, Z_DST)) WITHOUT ROWID",
            ])
    }

    @Test("have indexes on foreign keys, positions and constraints")
    func indexes() {
        let layout = SampleModel.schema().layout
        #expect(
            layout.indexDefinitions == [
                #"CREATE INDEX "Z_IX_Animal_Z_ENT" ON "Animal"(Z_ENT)"#,
                #"CREATE INDEX "Z_IX_Animal_owner" ON "Animal"("owner", "Z_ORD_owner")"#,
                #"CREATE INDEX "Z_IX_Person_best" ON "Person"("best")"#,
                #"CREATE INDEX "Z_IX_Person_unique_name" ON "Person"("name")"#,
                #"CREATE INDEX "Z_Person_friendOf_back" ON "Z_Person_friendOf"(Z_DST, Z_SRC)"#,
                #"CREATE INDEX "Z_Person_tags_back" ON "Z_Person_tags"(Z_DST, Z_SRC)"#,
            ])
    }

    /// Entities without parents, each with one integer per name.
    private func layout(_ entities: [(String, [String])]) -> TableLayout {
        TableLayout(
            LogModel(
                entities: entities.enumerated().map { index, entity in
                    LogEntity(
                        number: EntityNumber(UInt32(index + 1)), name: entity.0, parent: nil,
                        properties: entity.1.map {
                            LogProperty(name: $0, kind: .attribute(.integer64))
                        })
                }))
    }

    @Test("get other names where SQLite or we would confuse them")
    func names() {
        let layout = layout([
            ("Item", ["a", "A", "Z_PK", "say \"x\""]), ("item", []), ("sqlite_x", []),
            ("Z_Item_a", []), ("firn_store", []), ("E2_item", []), ("drop; table", []),
        ])
        #expect(
            layout.tables.map(\.name) == [
                "Item", "E2_item", "E3_sqlite_x", "E4_Z_Item_a", "E5_firn_store", "E6_E2_item",
                "drop; table",
            ])
        #expect(layout.tables[0].columns.map(\.name) == ["a", "E1_A", "E1_Z_PK", "say \"x\""])
    }

    @Test("keep the numbers of entities over a new model, also of renamed ones")
    func numbering() {
        let old = SampleModel.schema()
        let model = SampleModel.make()
        model.entities.first { $0.name == "Tag" }?.name = "Label"
        model.entities.first { $0.name == "Label" }?.renamingIdentifier = "Tag"
        model.entities += [SampleModel.entity("Aardvark")]
        let new = StoreSchema(model: model, previous: old.logModel)
        #expect(new.named("Label") == old.named("Tag"))
        #expect(new.named("Dog") == old.named("Dog"))
        #expect(new.named("Aardvark") == EntityNumber(6))
    }
}
