import SwiftUI

struct OrderList: View {
    @FetchRequest(sortDescriptors: [SortDescriptor(\.number)]) private var orders: FetchedResults<Order>

    var body: some View {
        List(orders) { order in
            Text("\(order.number): \(order.total)")
        }
    }
}
