import SwiftUI

@main
struct ShopApp: App {
    let persistence = Persistence.shared

    var body: some Scene {
        WindowGroup {
            OrderList().environment(\.managedObjectContext, persistence.container.viewContext)
        }
    }
}
