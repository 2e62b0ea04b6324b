#if Server
import FirnInspection
import FirnLog

/// A model as boxes in a grid, with a line for each pair of relationships.
struct ModelDrawing {
    struct Box {
        struct Property {
            let text: String
            let x: Int
            let y: Int
        }

        let name: String
        let href: String
        let x: Int
        let y: Int
        let textX: Int
        let textY: Int
        let count: String?
        let countX: Int
        let height: Int
        let properties: [Property]
    }

    struct Line {
        let kind: String
        let path: String
    }

    private static let boxWidth = 220
    private static let lineHeight = 18
    private static let gap = 90
    /// Properties that a box shows.
    private static let propertyMax = 12

    let boxes: [Box]
    let lines: [Line]
    let width: Int
    let height: Int

    init(_ model: LogModel, _ pages: PageLibrary, _ counts: [String: Int]) {
        let entities = model.entities.sorted { $0.name < $1.name }
        let columns = max(1, Int(Double(entities.count).squareRoot().rounded(.up)))
        var boxes: [EntityNumber: Box] = [:]
        var (y, rowHeight) = (20, 0)
        for (index, entity) in entities.enumerated() {
            if index % columns == 0, index > 0 {
                y += rowHeight + Self.gap
                rowHeight = 0
            }
            let x = 20 + index % columns * (Self.boxWidth + Self.gap)
            let box = Self.box(entity, x: x, y: y, pages, counts[entity.name])
            rowHeight = max(rowHeight, box.height)
            boxes[entity.number] = box
        }
        width = 20 + columns * (Self.boxWidth + Self.gap)
        height = y + rowHeight + 20
        self.boxes = entities.compactMap { boxes[$0.number] }
        lines = entities.flatMap { Self.lines($0, boxes) }
    }

    private static func box(
        _ entity: LogEntity, x: Int, y: Int, _ pages: PageLibrary, _ count: Int?
    ) -> Box {
        let all = entity.namedProperties
        var texts = all.prefix(propertyMax).map { property in
            switch property.kind {
            case .toOne: property.name + " →"
            case .toMany: property.name + " ⇉"
            default: property.name
            }
        }
        if all.count > propertyMax { texts.append("… \(all.count - propertyMax) more") }
        return Box(
            name: entity.name, href: pages.object(entity.name), x: x, y: y, textX: x + 12, textY: y + 24,
            count: count.map { "\($0)" }, countX: x + boxWidth - 12, height: 40 + texts.count * lineHeight,
            properties: texts.enumerated().map { .init(text: $1, x: x + 12, y: y + 46 + $0 * lineHeight) })
    }

    /// From an entity to its superentity, and to those it refers to; of a pair of inverses once.
    private static func lines(_ entity: LogEntity, _ boxes: [EntityNumber: Box]) -> [Line] {
        guard let box = boxes[entity.number] else { return [] }
        var ends: Set<EntityNumber> = []
        var lines = entity.parent.flatMap { boxes[$0] }.map { [Line(kind: "parent", path: path(box, $0))] } ?? []
        for property in entity.namedProperties {
            switch property.kind {
            case .toOne(let destination), .toMany(let destination, nil, _, true):
                if ends.insert(destination).inserted, let other = boxes[destination] {
                    lines.append(Line(kind: "relationship", path: path(box, other)))
                }
            default: break
            }
        }
        return lines
    }

    private static func path(_ from: Box, _ to: Box) -> String {
        if from.x == to.x && from.y == to.y {
            let (x, y) = (from.x + boxWidth, from.y + 20)
            return "M\(x) \(y) c 45 -10 45 40 0 30"
        }
        if from.x == to.x {
            let (upper, lower) = from.y < to.y ? (from, to) : (to, from)
            return "M\(from.x + boxWidth / 2) \(upper.y + upper.height) V\(lower.y)"
        }
        let (left, right) = from.x < to.x ? (from, to) : (to, from)
        let (x1, y1) = (left.x + boxWidth, left.y + left.height / 2)
        let (x2, y2) = (right.x, right.y + right.height / 2)
        let middle = (x1 + x2) / 2
        return "M\(x1) \(y1) C\(middle) \(y1) \(middle) \(y2) \(x2) \(y2)"
    }
}
#endif
