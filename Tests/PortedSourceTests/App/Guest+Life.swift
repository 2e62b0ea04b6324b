extension AppGuest {
    override public func awakeFromInsert() {
        super.awakeFromInsert()
        name = "\(#fileID):\(#line)"
    }
}
