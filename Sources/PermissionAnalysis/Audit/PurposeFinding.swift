// What is wrong with what an app declares: usage sentences ("purpose strings") of its Info.plist and their translations.

/// The place and the text of a finding in an Info.plist.
public struct PurposeFinding: Sendable, Hashable {
  public enum Reason: Sendable, Hashable {
    /// The permission was asked for in the log, and none of these keys is there.
    case isMissing(since: String?)
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
    /// Since a version of the system another key is asked for.
    case isDeprecated(since: String, by: String)
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

  var order: String { [file, key, language ?? ""].joined(separator: "\u{0}") }
}
