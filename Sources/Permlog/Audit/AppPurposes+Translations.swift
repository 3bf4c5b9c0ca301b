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
        filesRead.append(table)
        for (key, sentence) in Self.sentences(of: try PropertyListFile.dictionary(table), in: table) {
          byLanguage[language.name, default: [:]].add(key, sentence)
        }
      }
    }
    var catalogLanguage: String?
    for path in try folder.catalogs() {
      filesRead.append(path)
      let catalog = try StringCatalog(path)
      catalogLanguage = catalogLanguage ?? catalog.sourceLanguage
      untranslatable.formUnion(catalog.untranslatable)
      for (language, texts) in catalog.texts {
        if byLanguage[language] == nil { byLanguage[language] = [:] }
        for (key, text) in texts { byLanguage[language, default: [:]].add(key, Sentence(text, in: path)) }
      }
    }
    try check(Array(byLanguage.keys))
    let declared = content["CFBundleDevelopmentRegion"]?.text.flatMap { $0.contains("$") ? nil : $0 }
    let own = PlistFolder.language(declared ?? project?.developmentLanguage ?? catalogLanguage ?? "en")
    developmentLanguage = Self.withoutRegion(own)
    // The language itself counts before the base, which is of none.
    for name in Self.unique([own, developmentLanguage, "Base"]).reversed() {
      for (key, sentence) in byLanguage.removeValue(forKey: name) ?? [:] { sentences[key] = sentence }
    }
    guard sentences.count <= Self.mostSentences else {
      throw PropertyListFile.refusal(
        file, "it has \(sentences.count) usage sentences with those beside it, and no app has more than 1,000")
    }
    translations = byLanguage.sorted { $0.key < $1.key }.map { Translation($0.key, $0.value) }
  }

  /// Every sentence is looked for in every language. CLDR knows fewer than 1,000 languages, and the system asks for some 30 permissions.
  private static let mostLanguages = 1_000
  private static let mostSentences = 1_000
  /// Bytes of the name of a language, such as `zh-Hant-HK`.
  private static let longestLanguage = 100

  private func check(_ languages: [String]) throws(PermlogError) {
    guard languages.count <= Self.mostLanguages else {
      throw PropertyListFile.refusal(
        file, "it has \(languages.count) languages with those beside it, and no app has more than 1,000")
    }
    if languages.contains(where: { $0.utf8.count > Self.longestLanguage }) {
      throw PropertyListFile.refusal(
        file, "it or what lies beside it has a language whose name is longer than \(Self.longestLanguage) bytes")
    }
  }

  private static func unique(_ names: [String]) -> [String] {
    names.enumerated().filter { !names[..<$0.offset].contains($0.element) }.map(\.element)
  }

  /// `en` for `en-US`, `zh-Hant` for `zh-TW`; `zh-Hans` stays.
  private static func withoutRegion(_ language: String) -> String {
    let parts = language.split(separator: "-")
    guard parts.count > 1, let last = parts.last, last.count <= 3 else { return language }
    return languages(servedFrom: language)[1]
  }
}

extension [String: AppPurposes.Sentence] {
  /// Adds a sentence if the key has none yet.
  fileprivate mutating func add(_ key: String, _ sentence: AppPurposes.Sentence) {
    if self[key] == nil { self[key] = sentence }
  }
}
