import UIKit
import CoreData.NSManagedObject
import os.log

@objc(Guest)
public class AppGuest: NSManagedObject {
    @NSManaged public var name: String
    @NSManaged public var friends: Set<AppGuest>
    @NSManaged public var best: AppGuest?
    @objc public dynamic var title: String { "\(#keyPath(AppGuest.best.name)), \(#keyPath(name))" }

    @objc(addFriendsObject:)
    @NSManaged public func addToFriends(_ value: AppGuest)

    func fail() -> String { "\(#fileID):\(#line)" }

    @objc var nickname: String?

    override public class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
        let keys = super.keyPathsForValuesAffectingValue(forKey: key)
        return key == "title" ? keys.union(["name"]) : keys
    }
}

@objc protocol GuestListener {
    func changed(_ guest: AppGuest)
}

private class Secret: NSManagedObject {
    @NSManaged var code: Int64
}

func newSecret(in context: NSManagedObjectContext) -> Int64 {
    let secret = Secret(context: context)
    secret.code = 7
    return secret.code
}
