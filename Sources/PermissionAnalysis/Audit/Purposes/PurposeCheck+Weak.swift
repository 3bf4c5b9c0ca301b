// Usage sentences that say too little: to users, who decide by them, and to Apple's review.

extension PurposeCheck {
  /// One finding a key and language, then one for each text that several keys have.
  static func weak(_ app: AppPurposes) -> [AuditFinding] {
    // An app's own sentences are often English, whatever its language.
    weak(app.sentences, language: nil, inEnglish: true, app)
      + app.translations.flatMap { translation in
        let name = translation.language.lowercased()
        // A translation of a key that the app does not have is never shown.
        return weak(
          translation.sentences.filter { app.sentences[$0.key] != nil }, language: translation.language,
          inEnglish: name == "en" || name.hasPrefix("en-"), app)
      }
  }

  private static func weak(
    _ sentences: [String: AppPurposes.Sentence], language: String?, inEnglish: Bool, _ app: AppPurposes
  ) -> [AuditFinding] {
    var found: [AuditFinding] = []
    var keysOfText: [String: [String]] = [:]
    for name in sentences.keys.sorted() {
      guard let sentence = sentences[name] else { continue }
      let text = sentence.text.map(PurposeText.init)
      if let reason = text.map({ $0.problem(inEnglish: inEnglish) }) ?? .isNoText {
        found.append(
          finding(
            .weakPurpose,
            PurposeFinding(file: sentence.file, key: name, language: language, text: sentence.text, reason)))
      } else if let text {
        keysOfText[text.trimmed, default: []].append(name)
      }
    }
    for (text, names) in keysOfText.sorted(by: { $0.value[0] < $1.value[0] }) {
      let others = independent(names)
      guard let first = others.first, others.count > 1, let sentence = sentences[first] else { continue }
      found.append(
        finding(
          .weakPurpose,
          PurposeFinding(
            file: sentence.file, key: first, language: language, text: text,
            .isRepeated(keys: Array(others.dropFirst())))))
    }
    return found
  }

  /// Keys without those that an older one among them stands for: Apple wants the same text in both.
  private static func independent(_ names: [String]) -> [String] {
    names.filter { name in
      guard let successor = UsageKey.named(name)?.successor?.key else { return true }
      return !names.contains(successor)
    }
  }
}
