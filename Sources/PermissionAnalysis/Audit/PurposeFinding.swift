// What is wrong with what an app declares: usage sentences ("purpose strings") of its Info.plist and their translations.

/// The place and the text of a finding in an Info.plist.
public struct PurposeFinding: Sendable, Hashable {
  public enum Reason: Sendable, Hashable {
    /// The permission was asked for in the log, and no key of it is there; `key` is the one to add, since a version of the system.
    case isMissing(since: String?)
    /// What the file declares (`UIBackgroundModes bluetooth-central`, `NSBonjourServices`) needs the key, which is not there.
    case isNeededBy(String)
    /// The key is there, and the log never asks.
    case isUnused
    case isEmpty
    /// Words that a template put there.
    case isPlaceholder
    /// It says that access is needed, and not what for.
    case saysNoReason
    /// Fewer characters than a sentence takes.
    case isShort(characters: Int)
    /// The same text for several keys.
    case isRepeated(keys: [String])
    /// The value is a number or anything else that is no text.
    case isNoText
    /// Another key, which is there too, has taken its place, and the app runs on no older version of the system.
    case isDeprecated(since: String, by: String)
    /// Since a version of the system another key is asked for, and that one is not there.
    case lacksSuccessor(since: String, key: String)
    /// Languages of the app in which it has no translation.
    case isUntranslated(languages: [String])
  }

  /// The Info.plist, as it was named.
  public let file: String
  /// The key, like `NSCameraUsageDescription`.
  public let key: String
  /// Of a translation: its language.
  public let language: String?
  /// The text, if there is one.
  public let text: String?
  public let reason: Reason

  package init(file: String, key: String, language: String? = nil, text: String? = nil, _ reason: Reason) {
    (self.file, self.key, self.language, self.text, self.reason) = (file, key, language, text, reason)
  }

  /// What happens if the app asks without the key; nil if the key is not the one that is missing.
  public var consequence: UsageKey.Consequence? {
    switch reason {
    case .isMissing, .isNeededBy: UsageKey.named(key)?.consequence
    default: nil
    }
  }

  /// By file, key and language. There a key has at most one finding of a check, besides that its text is repeated, which is last.
  static func isBefore(_ a: PurposeFinding, _ b: PurposeFinding) -> Bool {
    for (left, right) in [(a.file, b.file), (a.key, b.key), (a.language ?? "", b.language ?? "")]
    where !left.utf8.elementsEqual(right.utf8) {
      return left.utf8.lexicographicallyPrecedes(right.utf8)
    }
    return !a.isRepeated && b.isRepeated
  }

  private var isRepeated: Bool { if case .isRepeated = reason { true } else { false } }
}
