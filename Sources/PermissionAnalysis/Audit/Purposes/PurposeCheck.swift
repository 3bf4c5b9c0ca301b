// The checks of what an app declares. Each reports only what is certain. docs/info-plist.md explains them.

package enum PurposeCheck {
  /// - Parameters:
  ///   - apps: Info.plists that belong together. Without any there are no candidates.
  ///   - asked: names of permissions that were asked for in the log.
  /// - Returns: findings, and for each check without one the reason.
  package static func candidates(_ apps: [AppPurposes], asked: Set<String>) -> [AuditFinding] {
    guard !apps.isEmpty else { return [] }
    let keys = apps.contains { !$0.sentences.isEmpty }
    let isTranslated = apps.contains { !$0.translations.isEmpty && !$0.sentences.isEmpty }
    let asksApp =
      main(apps).map { app in asked.contains { !UsageKey.needed(for: $0, on: app.system).isEmpty } } ?? false
    let hasNeed = asksApp || apps.contains { !$0.declaredUses.isEmpty }
    let lacking = missing(apps, asked)
    // A key that was not found may be where nothing could be read.
    let why = apps.lazy.compactMap(\.unknown.first).first
    return [
      all(.missingPurpose, why == nil ? lacking : [], canSee: hasNeed && why == nil),
      all(.notKnown, why.map { why in lacking.map { notKnown($0, why) } } ?? [], canSee: hasNeed),
      all(.unusedPurpose, asked.isEmpty ? [] : unused(apps, asked), canSee: keys && !asked.isEmpty),
      all(.weakPurpose, apps.flatMap(weak), canSee: keys),
      all(.deprecatedKey, apps.flatMap(deprecated), canSee: keys),
      all(.missingTranslation, apps.flatMap(untranslated), canSee: isTranslated),
    ].flatMap { $0 }
  }

  private static func all(_ check: AuditCheck, _ findings: [AuditFinding], canSee: Bool) -> [AuditFinding] {
    findings.isEmpty ? [AuditFinding(check, leftOut: canSee ? .belowThreshold : .nothingToSee)] : findings
  }

  static func finding(_ check: AuditCheck, _ finding: PurposeFinding, _ severity: AuditSeverity? = nil) -> AuditFinding
  {
    AuditFinding(
      check, severity: severity, permission: UsageKey.named(finding.key)?.permissions.first, detail: .purpose(finding))
  }

  /// Of a key of an app.
  private static func finding(
    _ check: AuditCheck, _ app: AppPurposes, _ key: String, _ reason: PurposeFinding.Reason
  ) -> AuditFinding {
    let sentence = app.sentences[key]
    return finding(check, PurposeFinding(file: sentence?.file ?? app.file, key: key, text: sentence?.text, reason))
  }

  // MARK: - Missing

  /// The app that asks: no extension, and on a system whose keys are known.
  private static func main(_ apps: [AppPurposes]) -> AppPurposes? {
    apps.first { !$0.isExtension && $0.system != .other }
  }

  /// Permissions that were asked for and have no key in any of the files, then what files declare to use.
  private static func missing(_ apps: [AppPurposes], _ asked: Set<String>) -> [AuditFinding] {
    let there = Set(apps.flatMap(\.sentences.keys))
    var found: [AuditFinding] = []
    var named: Set<String> = []
    let main = main(apps)
    for permission in asked.sorted() {
      // What an extension lacks its app may have, and that was not given.
      guard let main else { break }
      for keys in UsageKey.needed(for: permission, on: main.system) where there.isDisjoint(with: keys) {
        guard named.insert(keys[0]).inserted else { continue }
        let key = UsageKey.named(keys[0])
        let reason = PurposeFinding.Reason.isMissing(since: key?.first(on: main.system))
        let first = key?.permissions.first
        found.append(
          AuditFinding(
            .missingPurpose, permission: first.flatMap { asked.contains($0) ? $0 : nil } ?? permission,
            detail: .purpose(PurposeFinding(file: main.file, key: keys[0], reason))))
      }
    }
    for app in apps {
      for (use, keys) in app.declaredUses where there.isDisjoint(with: keys) {
        guard !named.contains(keys[0]) else { continue }
        let place = PurposeFinding(file: app.file, key: keys[0], .isNeededBy(use))
        if !found.contains(where: { $0.detail.isOf(place) }) { found.append(finding(.missingPurpose, place, .warning)) }
      }
    }
    return found
  }

  /// The same key, which may be there all the same.
  private static func notKnown(_ missing: AuditFinding, _ why: String) -> AuditFinding {
    guard case .purpose(let found) = missing.detail else { return missing }
    let isAsked = if case .isMissing = found.reason { true } else { false }
    let place = PurposeFinding(file: found.file, key: found.key, .isNotKnown(isAsked: isAsked, why: why))
    return AuditFinding(.notKnown, permission: missing.permission, detail: .purpose(place))
  }

  // MARK: - Unused

  private static func unused(_ apps: [AppPurposes], _ asked: Set<String>) -> [AuditFinding] {
    apps.flatMap { app in
      app.sentences.keys.sorted().compactMap { name -> AuditFinding? in
        guard let key = UsageKey.named(name), asked.isDisjoint(with: key.permissions) else { return nil }
        return finding(.unusedPurpose, app, name, .isUnused)
      }
    }
  }

  // MARK: - Deprecated

  private static func deprecated(_ app: AppPurposes) -> [AuditFinding] {
    app.sentences.keys.sorted().compactMap { name -> AuditFinding? in
      guard let successor = UsageKey.named(name)?.successor else { return nil }
      let since: (system: String, version: Int)? =
        switch app.system {
        case .iOS: ("iOS", successor.iOS)
        case .macOS: successor.macOS.map { ("macOS", $0) }
        case .other: nil
        }
      guard let since else { return nil }
      let isReplaced = app.sentences[successor.key] != nil || app.hasWriteOnlyCalendars(instead: successor.key)
      // With both, the old one is for older systems, and is needed as long as the app runs on those.
      if isReplaced, app.oldestSystem.map({ $0 < since.version }) ?? true { return nil }
      if !isReplaced, !app.unknown.isEmpty { return nil }
      let system = "\(since.system) \(since.version)"
      let reason: PurposeFinding.Reason =
        isReplaced
        ? .isDeprecated(since: system, by: successor.key) : .lacksSuccessor(since: system, key: successor.key)
      return finding(.deprecatedKey, app, name, reason)
    }
  }

  // MARK: - Untranslated

  private static func untranslated(_ app: AppPurposes) -> [AuditFinding] {
    let languages = app.languagesToTranslate
    return Set(app.sentences.keys).subtracting(app.untranslatable).sorted().compactMap { name -> AuditFinding? in
      let languages = languages.filter { $0.texts.allSatisfy { $0[name] == nil } }.map(\.name)
      return languages.isEmpty ? nil : finding(.missingTranslation, app, name, .isUntranslated(languages: languages))
    }
  }
}

extension AuditFinding.Detail {
  fileprivate func isOf(_ place: PurposeFinding) -> Bool {
    if case .purpose(let finding) = self { finding.key == place.key && finding.file == place.file } else { false }
  }
}

extension AppPurposes {
  /// The uses that the file declares, each with keys of which it needs one.
  fileprivate var declaredUses: [(use: String, keys: [String])] {
    let modes = UsageKey.neededByModes.filter { backgroundModes.contains($0.mode) }
      .map { ("UIBackgroundModes \($0.mode)", $0.keys) }
    return modes + (hasBonjourServices ? [("NSBonjourServices", UsageKey.keys(of: "local_network"))] : [])
  }

  /// Since iOS 17 one of two keys replaces the old one for calendars.
  fileprivate func hasWriteOnlyCalendars(instead key: String) -> Bool {
    key == "NSCalendarsFullAccessUsageDescription" && sentences["NSCalendarsWriteOnlyAccessUsageDescription"] != nil
  }

  /// Languages other than the app's own, each with its texts in order: its own, then the texts of the same language
  /// without a region or script.
  fileprivate var languagesToTranslate: [(name: String, texts: [[String: Sentence]])] {
    let byName = Dictionary(translations.map { ($0.language, $0.sentences) }) { first, _ in first }
    let own = developmentLanguage.lowercased()
    return translations.compactMap { translation in
      let names = Self.languages(servedFrom: translation.language)
      if names.contains(where: { $0.lowercased() == own }) { return nil }
      return (translation.language, names.compactMap { byName[$0] }.filter { !$0.isEmpty })
    }
  }
}

// MARK: Usage sentences that say too little for users, who decide by them, and for Apple's review

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

  /// Keys without the ones that replace an older key in the list: Apple wants the same text in both.
  private static func independent(_ names: [String]) -> [String] {
    names.filter { name in
      guard let successor = UsageKey.named(name)?.successor?.key else { return true }
      return !names.contains(successor)
    }
  }
}
