// Xcode's string catalogs (`InfoPlist.xcstrings`): JSON with all languages of a table.

import EventImport
import PermissionAnalysis

struct StringCatalog {
  /// The language of the app's own texts.
  private(set) var sourceLanguage: String?
  /// Texts of usage keys by language and key. A language without any is here too.
  private(set) var texts: [String: [String: String]] = [:]
  /// Keys that are marked as not to be translated.
  private(set) var untranslatable: Set<String> = []

  /// - Throws: if the file cannot be read or is no string catalog.
  init(_ path: String) throws(PermlogError) {
    let tree = try PropertyListFile.object(path)
    guard case .object(let strings) = tree["strings"] else {
      throw PropertyListFile.refusal(path, "it is no string catalog: it has no strings")
    }
    if case .text(let language) = tree["sourceLanguage"] { sourceLanguage = PlistFolder.language(language) }
    for string in strings {
      let isUsage = UsageKey.isUsageKey(string.key)
      if isUsage, string.value["shouldTranslate"] == .boolean(false) { untranslatable.insert(string.key) }
      guard case .object(let languages) = string.value["localizations"] else { continue }
      for language in languages {
        let name = PlistFolder.language(language.key)
        let text = isUsage ? Self.text(language.value) : nil
        guard texts[name]?[string.key] == nil else {
          throw PropertyListFile.refusal(path, "\(string.key) is there twice in \(name)")
        }
        texts[name, default: [:]][string.key] = text
      }
    }
  }

  /// The text of a language, or the first of its variations by device; nil if it is still to be translated.
  private static func text(_ value: JSONTree) -> String? {
    if let unit = value["stringUnit"] {
      guard case .text(let text) = unit["value"] else { return nil }
      return unit["state"] == .text("new") && text.isEmpty ? nil : text
    }
    guard case .object(let kinds) = value["variations"] else { return nil }
    for kind in kinds {
      guard case .object(let cases) = kind.value else { continue }
      for one in cases { if let text = text(one.value) { return text } }
    }
    return nil
  }
}
