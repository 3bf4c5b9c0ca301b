// What an app declares of the permissions that it asks for, as far as an audit looks at it.

/// The usage sentences of one Info.plist, with their translations.
public struct AppPurposes: Sendable, Hashable {
  /// The value of a key like `NSCameraUsageDescription`.
  public struct Sentence: Sendable, Hashable {
    /// nil if the value is no text.
    public var text: String?
    /// The file that it is in.
    public var file: String

    public init(_ text: String?, in file: String) { (self.text, self.file) = (text, file) }
  }

  /// One language of the app.
  public struct Translation: Sendable, Hashable {
    /// Like `de` or `pt-BR`.
    public var language: String
    /// By key.
    public var sentences: [String: Sentence]

    public init(_ language: String, _ sentences: [String: Sentence] = [:]) {
      (self.language, self.sentences) = (language, sentences)
    }
  }

  /// What the app runs on.
  public enum System: Sendable { case iOS, macOS, other }

  /// The Info.plist, as it was named.
  public var file: String
  /// By key: what users see who have none of the app's other languages.
  public var sentences: [String: Sentence] = [:]
  /// Languages other than that of `sentences`, in order.
  public var translations: [Translation] = []
  /// Keys whose text is not to be translated, as a string catalog may say.
  public var untranslatable: Set<String> = []
  /// The language of `sentences`, without a region.
  public var developmentLanguage = "en"
  public var system = System.iOS
  /// The first number of the oldest version of the system that the app runs on; nil if it is not said.
  public var oldestSystem: Int?
  public var backgroundModes: [String] = []
  public var hasBonjourServices = false
  /// An extension of an app or a framework, and not the app.
  public var isExtension = false
  /// Settings of its project are in `.xcconfig` files, which are not read: a key that is not there may be in those.
  public var hasUnreadSettings = false
  /// Paths of all files that were read for it.
  public var filesRead: [String] = []

  public init(file: String) { self.file = file }
}
