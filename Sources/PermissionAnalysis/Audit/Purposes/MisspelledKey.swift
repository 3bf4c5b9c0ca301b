// Names that are almost a key with a usage sentence: the system does not read them, and the app has no key.

extension UsageKey {
  /// Keys of Apple with a sentence or a dictionary of them that are of no permission of the taxonomy.
  private static let others: Set<String> = [
    "NSLocationTemporaryUsageDescriptionDictionary", "OSBundleUsageDescription", "NSSensorKitUsageDetail",
    "NSSystemExtensionUsageDescription", "NSFileProviderPresenceUsageDescription", "NSAppBundlesUsageDescription",
    "NSEnterpriseMCAMUsageDescription", "NSUserNotificationsUsageDescription", "NSUserNotificationUsageDescription",
  ]

  /// Letters that may be wrong, too many or missing.
  private static let mostMistakes = 3
  private static let longest = 128

  /// The key that a name is meant to be. Nil if it is a key, or like none.
  package static func meant(by name: String) -> UsageKey? {
    let plain = withoutDevice(name)
    guard named(plain) == nil, !others.contains(plain), (8...longest).contains(plain.utf8.count) else { return nil }
    let letters = Array(plain.lowercased().utf8)
    guard letters.starts(with: "ns".utf8) || letters.starts(with: "nfc".utf8) else { return nil }
    let found = all.map { (key: $0, mistakes: mistakes(letters, Array($0.name.lowercased().utf8))) }
      .min { $0.mistakes < $1.mistakes }
    return found.flatMap { $0.mistakes <= mostMistakes ? $0.key : nil }
  }

  /// Levenshtein's distance; more than `mostMistakes` if the lengths differ by more.
  private static func mistakes(_ a: [UInt8], _ b: [UInt8]) -> Int {
    guard abs(a.count - b.count) <= mostMistakes else { return mostMistakes + 1 }
    var row = Array(0...b.count)
    for (i, letter) in a.enumerated() {
      var diagonal = row[0]
      row[0] = i + 1
      for j in b.indices {
        let change = diagonal + (letter == b[j] ? 0 : 1)
        diagonal = row[j + 1]
        row[j + 1] = min(change, row[j] + 1, row[j + 1] + 1)
      }
    }
    return row[b.count]
  }
}

extension AppPurposes {
  /// Notes names that are almost keys; their number is bounded, as a file may have any number of names.
  package mutating func noteMisspelled(_ names: some Sequence<String>) {
    let almost = names.filter { name in
      let text = name.lowercased()
      return text.contains("usage") || text.contains("descri")
    }
    for name in almost.sorted().prefix(100) {
      if let key = UsageKey.meant(by: name) { misspelled[name] = key.name }
    }
  }
}
