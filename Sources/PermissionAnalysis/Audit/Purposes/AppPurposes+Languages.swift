// Which languages stand in for another one.

extension AppPurposes {
  /// A language and those whose texts its users get if it has none, in this order: `de-AT`, `de`. Chinese of a region has the script
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
