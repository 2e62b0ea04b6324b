#if Server
/// The limits of a change feed's routes: what they allow, and how much one request may cost.
public struct ChangeFeedOptions: Sendable {
    /// The token that every request must carry, as `Authorization: Bearer …`, or as the password of a browser's dialog;
    /// nil asks for nothing, which is for loopback only.
    public var token: String?
    /// Names under which the service may be reached, apart from `localhost` and addresses. Another name in `Host` is
    /// refused, so that a foreign page cannot reach the service under a name of its own (DNS rebinding).
    public var allowedHosts: Set<String> = []
    /// The path before every route, such as `/history`; empty at the root.
    public var prefix = ""
    /// Whether the page of a record has a button that undoes it. It needs a token. Without it the service only reads.
    public var allowsRevert = false
    /// How long a condition may search.
    public var queryTimeout = Duration.seconds(5)
    /// A follower to which nothing was sent for so long gets a comment.
    public var commentInterval = Duration.seconds(15)
    /// Followers above this number are refused.
    public var followerCountMax = 20_000

    public init() {}
}
#endif
