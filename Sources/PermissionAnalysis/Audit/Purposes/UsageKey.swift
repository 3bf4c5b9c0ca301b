// The keys of an Info.plist that hold usage sentences: what each is for, and since when another one takes its place.

/// A key whose text the system shows when it asks for a permission.
public struct UsageKey: Sendable, Hashable {
  /// What happens if an app asks without it.
  public enum Consequence: Sendable, Hashable {
    /// The system ends the app.
    case crash
    /// The system does not ask, and the app gets nothing.
    case notAsked
    /// Apple requires it; what happens without it is not written.
    case required
    /// The system asks with a text of its own.
    case plainQuestion
  }

  /// A newer key in its place.
  public struct Successor: Sendable, Hashable {
    public let key: String
    /// The first version of the system that asks for it.
    public let iOS: Int
    /// nil if macOS never asked for the old one.
    public let macOS: Int?
  }

  public let name: String
  /// What it is needed for: the names of permissions, that which it is mainly for first.
  public let permissions: [String]
  public let consequence: Consequence
  /// The first version of iOS that asks for it, if there were versions that asked for the permission with another key, or not at all.
  public let since: Int?
  public let successor: Successor?

  /// Apple's page about the key.
  public var source: String {
    "https://developer.apple.com/documentation/bundleresources/information-property-list/" + name.lowercased()
  }

  /// The key of a name; nil for keys of permissions outside the taxonomy.
  public static func named(_ name: String) -> UsageKey? { byName[name] }

  private static let byName = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })

  /// True for names of keys with usage sentences, also of permissions outside the taxonomy.
  public static func isUsageKey(_ name: String) -> Bool {
    name.hasSuffix("UsageDescription") && (name.hasPrefix("NS") || name.hasPrefix("NFC"))
  }

  /// The name without a platform and a kind of device: `NSCameraUsageDescription-iphoneos~ipad` is that key on such devices.
  package static func withoutDevice(_ name: String) -> String {
    var rest = name[...]
    for suffix in ["~iphone", "~ipod", "~ipad", "-iphoneos", "-iphonesimulator", "-macos", "-macosx"]
    where rest.hasSuffix(suffix) {
      rest = rest.dropLast(suffix.count)
    }
    return String(rest)
  }

  /// What systems before `since` read in its place; nil if they read nothing.
  public var older: UsageKey? {
    guard since != nil else { return nil }
    if let key = Self.all.first(where: { $0.successor?.key == name }) { return key }
    switch name {
    case "NSPhotoLibraryAddUsageDescription": return Self.named("NSPhotoLibraryUsageDescription")
    case "NSCalendarsWriteOnlyAccessUsageDescription": return Self.named("NSCalendarsUsageDescription")
    default: return nil
    }
  }

  /// The first version of a system that asks for it, as `iOS 17`; nil if all do, or it is not known.
  func first(on system: AppPurposes.System) -> String? {
    switch system {
    case .iOS: since.map { "iOS \($0)" }
    case .macOS: older?.successor?.macOS.map { "macOS \($0)" }
    case .other: nil
    }
  }

  init(
    _ name: String, _ permissions: [String], _ consequence: Consequence = .crash, since: Int? = nil,
    successor: Successor? = nil
  ) {
    (self.name, self.permissions, self.consequence) = (name, permissions, consequence)
    (self.since, self.successor) = (since, successor)
  }
}
