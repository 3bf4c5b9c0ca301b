// What an app declares of the permissions that it asks for, as far as an audit looks at it.

import Buffers
import PermissionEvents

/// The usage sentences of one Info.plist, with their translations.
public struct AppPurposes: Sendable, Hashable {
  /// The value of a key like `NSCameraUsageDescription`.
  public struct Sentence: Sendable, Hashable {
    /// Nil if the value is not text.
    public var text: String?
    /// The file that it is in.
    public var file: String
    /// The line of the file that names the key, from 1. Nil if it is not known.
    public var line: Int?

    /// Whether it is anything but an empty text.
    var isSaid: Bool { text.map { !PurposeText($0).isEmpty } ?? true }

    public init(_ text: String?, in file: String, line: Int? = nil) {
      (self.text, self.file, self.line) = (text, file, line)
    }
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

  /// A target of a project, in the configuration that is shipped.
  public struct Build: Sendable, Hashable {
    public var target: String
    public var configuration: String

    public init(target: String, configuration: String) { (self.target, self.configuration) = (target, configuration) }
  }

  /// What the app runs on.
  public enum System: Sendable { case iOS, macOS, other }

  /// The Info.plist, as it was named.
  public var file: String
  /// The file itself, if `file` names a target instead.
  public var path: String?
  /// By key: the text for users who have none of the app's other languages.
  public var sentences: [String: Sentence] = [:]
  /// Names that are almost a key, and the key that is meant by each.
  public var misspelled: [String: String] = [:]
  /// Languages other than that of `sentences`, in order.
  public var translations: [Translation] = []
  /// Keys that are not to be translated according to the string catalog.
  public var untranslatable: Set<String> = []
  /// The language of `sentences`, without a region.
  public var developmentLanguage = "en"
  public var system = System.iOS
  /// The first number of the oldest version of the system that the app runs on. Nil if it is not declared.
  public var oldestSystem: Int?
  public var backgroundModes: [String] = []
  public var hasBonjourServices = false
  /// An extension of an app or a framework, and not the app.
  public var isExtension = false
  /// Why more keys may be there than are known, like "Pods.xcconfig is not there, and may have more settings". Empty if all are known.
  public var unknown: [String] = []
  /// What Xcode makes of the file; nil for a built app, and if no target of a project names it.
  public var build: Build?
  /// Paths of all files that were read for it.
  public var filesRead: [String] = []

  public init(file: String) { self.file = file }

  // MARK: Which languages replace a missing one

  /// A language and the languages whose texts its users get instead, in this order: `de-AT`, `de`. Chinese of a
  /// region has the script
  /// that is written there before the language alone: `zh-HK`, `zh-Hant`, `zh`.
  package static func languages(servedFrom language: String) -> [String] {
    var names = [language]
    var name = language[...]
    if let script = scripts[language] { names.append(script) }
    while let cut = name.lastIndex(of: "-") {
      name = name[..<cut]
      names.append(String(name))
    }
    return names
  }

  /// The script of Chinese in a region.
  private static let scripts = [
    "zh-HK": "zh-Hant", "zh-TW": "zh-Hant", "zh-MO": "zh-Hant", "zh-CN": "zh-Hans", "zh-SG": "zh-Hans",
  ]
}

// MARK: Platforms that read no Info.plist: what an app asks for there means nothing for its keys

/// By the code of an event's attributes whether its platform is one that Apple did not make.
struct ForeignPlatforms: ~Copyable {
  private let areForeign: Buffer<UInt8>
  /// False if no event of the log can be of one.
  let isThere: Bool

  /// - Parameter selection: with which the walk was begun; it has the platform.
  init(_ selection: HistorySelection, _ contexts: HistoryContexts) {
    var areForeign = Buffer<UInt8>()
    if let place = selection.attributes.firstIndex(of: .platform) {
      let names = contexts.attributeValues[place].map { name -> UInt8 in
        Self.isForeign(name) ? String(bounded: name).lowercased().hasPrefix("android") ? Self.android : 1 : 0
      }
      for values in contexts.attributes { areForeign.append(names[Int(values[place])]) }
    }
    isThere = (0..<areForeign.count).contains { areForeign[$0] != 0 }
    self.areForeign = areForeign
  }

  func contains(_ attributes: Int) -> Bool { areForeign.count > 0 && areForeign[attributes] != 0 }

  private static let android: UInt8 = 2

  func isAndroid(_ attributes: Int) -> Bool { areForeign.count > 0 && areForeign[attributes] == Self.android }

  /// Only for certain: an unknown name may be a platform of the given app.
  static func isForeign(_ name: [UInt8]) -> Bool {
    let text = String(bounded: name).lowercased()
    return known.contains { text.hasPrefix($0) }
  }

  private static let known = ["android", "web", "windows", "linux", "javascript", "js", "browser", "chrome", "fire os"]
}
