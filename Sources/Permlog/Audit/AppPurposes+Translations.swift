// The languages of an app, and its usage sentences in them.

import EventImport
import PermissionAnalysis
import PropertyLists

extension AppPurposes {
  /// Texts in the language that the app was developed in take the place of those in the Info.plist itself, as they do for users.
  mutating func readTranslations(
    _ folder: PlistFolder, _ content: [String: PropertyList], _ project: XcodeProject?
  ) throws(PermlogError) {
    var byLanguage: [String: [String: Sentence]] = [:]
    for language in try PropertyListFile.texts("CFBundleLocalizations", in: content, file) {
      byLanguage[PlistFolder.language(language)] = [:]
    }
    for language in try folder.languages() {
      if byLanguage[language.name] == nil { byLanguage[language.name] = [:] }
      for table in language.tables {
        for (key, value) in try PropertyListFile.dictionary(table) where UsageKey.isUsageKey(key) {
          byLanguage[language.name, default: [:]].add(key, Sentence(value.text, in: table))
        }
      }
    }
    var catalogLanguage: String?
    for path in try folder.catalogs() {
      let catalog = try StringCatalog(path)
      catalogLanguage = catalogLanguage ?? catalog.sourceLanguage
      untranslatable.formUnion(catalog.untranslatable)
      for (language, texts) in catalog.texts {
        if byLanguage[language] == nil { byLanguage[language] = [:] }
        for (key, text) in texts { byLanguage[language, default: [:]].add(key, Sentence(text, in: path)) }
      }
    }
    let declared = content["CFBundleDevelopmentRegion"]?.text.flatMap { $0.contains("$") ? nil : $0 }
    let own = PlistFolder.language(declared ?? project?.developmentLanguage ?? catalogLanguage ?? "en")
    developmentLanguage = Self.withoutRegion(own)
    // The language itself counts before the base, which is of none.
    for name in Self.unique([own, developmentLanguage, "Base"]).reversed() {
      for (key, sentence) in byLanguage.removeValue(forKey: name) ?? [:] { sentences[key] = sentence }
    }
    translations = byLanguage.sorted { $0.key < $1.key }.map { Translation($0.key, $0.value) }
  }

  private static func unique(_ names: [String]) -> [String] {
    names.enumerated().filter { !names[..<$0.offset].contains($0.element) }.map(\.element)
  }

  /// `en` for `en-US`; `zh-Hans` stays.
  private static func withoutRegion(_ language: String) -> String {
    let parts = language.split(separator: "-")
    guard parts.count > 1, let last = parts.last, last.count <= 3 else { return language }
    return parts.dropLast().joined(separator: "-")
  }
}

extension [String: AppPurposes.Sentence] {
  /// Adds a sentence if the key has none yet.
  fileprivate mutating func add(_ key: String, _ sentence: AppPurposes.Sentence) {
    if self[key] == nil { self[key] = sentence }
  }
}
