// How much of a log an audit takes, whatever the log holds.

/// A log may bring any number of platforms and versions: each id of a device can be one.
public enum AuditLimits {
  /// Pairs of a name and a day that are counted of platforms, and of versions; an app of a hundred versions over some years has
  /// a fifth of them. With more none of them is looked at.
  public static let daysOfFeeds = 1 << 19
  /// Platforms and versions that stopped, each of which is a finding; of more, those that stopped last.
  public static let stoppedFeeds = 1000
}
