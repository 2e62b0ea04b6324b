import Foundation

class Cabinet: NSObject {
    @objc let maker: String
    @objc var books: [String] = []
    @objc var size: Int { books.count }

    init(_ maker: String, _ books: [String]) {
        self.maker = maker
        self.books = books
    }
}

class Showcase: Cabinet {
    @objc var kind: Kind = .glass
    @objc enum Kind: Int { case wood, glass }
}

func cabinetMakers(_ cabinets: [Cabinet]) -> [[String]] {
    let large = NSPredicate(format: "%K > 1", #keyPath(Cabinet.size))
    let named = NSComparisonPredicate(
        leftExpression: NSExpression(forKeyPath: \Cabinet.maker),
        rightExpression: NSExpression(forConstantValue: "Ben"), modifier: .direct, type: .equalTo)
    let glass = NSPredicate(format: "kind == 1")
    let showcases = cabinets.filter { $0 is Showcase }
    let paths = [\Cabinet.size as AnyKeyPath, \Showcase.books, \Showcase.kind].map { $0._kvcKeyPathString ?? "" }
    return [
        cabinets.filter(large.evaluate).map(\.maker), cabinets.filter(named.evaluate).map(\.maker),
        showcases.filter(glass.evaluate).map(\.maker), paths,
    ]
}
