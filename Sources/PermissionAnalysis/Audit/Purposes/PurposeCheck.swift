// The checks of what an app declares. Each reports only what is certain. docs/info-plist.md explains them.

package enum PurposeCheck {
  /// - Parameters:
  ///   - apps: Info.plists that belong together. Without any there are no candidates of them.
  ///   - asked: names of permissions that were asked for in the log; empty without a log.
  ///   - code: what the app's code asks for; nil if it was not looked at.
  /// - Returns: findings, and for each check without one the reason.
  package static func candidates(_ apps: [AppPurposes], asked: Set<String>, code: AppCode? = nil) -> [AuditFinding] {
    (apps.isEmpty ? [] : ofPlists(apps, Needs(asked, code))) + (code.map { CodeCheck.candidates($0, asked) } ?? [])
  }

  private static func ofPlists(_ apps: [AppPurposes], _ needs: Needs) -> [AuditFinding] {
    let keys = apps.contains { !$0.sentences.isEmpty }
    let isTranslated = apps.contains { !$0.translations.isEmpty && !$0.sentences.isEmpty }
    let asksApp =
      main(apps).map { app in needs.all.contains { !UsageKey.needed(for: $0, on: app.system).isEmpty } } ?? false
    let misspelled = apps.flatMap(misspelled)
    let hasNeed = asksApp || !misspelled.isEmpty || apps.contains { !$0.declaredUses.isEmpty }
    let lacking = missing(apps, needs)
    // A key that was not found may be where nothing could be read.
    let why = apps.lazy.compactMap(\.unknown.first).first
    return [
      all(.missingPurpose, (why == nil ? lacking : []) + misspelled, canSee: hasNeed && why == nil),
      all(.notKnown, why.map { why in lacking.map { notKnown($0, why) } } ?? [], canSee: hasNeed),
      needs.code == nil
        ? [] : all(.mayAsk, why == nil ? perhapsMissing(apps, needs) : [], canSee: asksApp && why == nil),
      all(.unusedPurpose, apps.flatMap { unused($0, needs) }, canSee: keys && needs.areKnown),
      all(.weakPurpose, apps.flatMap(weak), canSee: keys),
      all(.deprecatedKey, apps.flatMap(deprecated), canSee: keys),
      all(.missingTranslation, apps.flatMap(untranslated), canSee: isTranslated),
    ].flatMap { $0 }
  }

  /// What shows that the app asks.
  private struct Needs {
    let asked: Set<String>
    let code: AppCode?
    /// Permissions that the log or the code asks for.
    let all: Set<String>

    init(_ asked: Set<String>, _ code: AppCode?) {
      (self.asked, self.code) = (asked, code)
      all = asked.union(code?.calls.filter { $0.permissions.count == 1 }.flatMap(\.permissions) ?? [])
    }

    /// Whether anything is known of what the app asks for.
    var areKnown: Bool { !asked.isEmpty || code != nil }

    /// Whether the app asks only if the project defines some name.
    func isConditional(_ permission: String) -> Bool {
      !asked.contains(permission) && code?.certain(permission).isEmpty ?? false
    }

    func calls(_ permission: String) -> [AppCode.Call] {
      code?.calls.filter { $0.permissions == [permission] }.sorted { !$0.isConditional && $1.isConditional } ?? []
    }

    /// What shows that nothing asks for a key's permission; nil if something does, or if nothing is known.
    func absence(of key: UsageKey) -> PurposeFinding.Evidence? {
      guard asked.isDisjoint(with: key.permissions) else { return nil }
      guard let code, !code.recognised.isDisjoint(with: key.permissions) else { return asked.isEmpty ? nil : .log }
      if key.permissions.contains(where: code.mayAsk) { return nil }
      return asked.isEmpty ? .code : .logAndCode
    }
  }

  static func all(_ check: AuditCheck, _ findings: [AuditFinding], canSee: Bool) -> [AuditFinding] {
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
    return finding(
      check,
      PurposeFinding(file: sentence?.file ?? app.file, key: key, text: sentence?.text, line: sentence?.line, reason))
  }

  // MARK: - Missing

  /// The app that asks: no extension, and on a system whose keys are known.
  private static func main(_ apps: [AppPurposes]) -> AppPurposes? {
    apps.first { !$0.isExtension && $0.system != .other }
  }

  /// Permissions that were asked for and have no key in any of the files, then what files declare to use.
  private static func missing(_ apps: [AppPurposes], _ needs: Needs) -> [AuditFinding] {
    let there = Set(apps.flatMap(\.sentences.keys))
    var found: [AuditFinding] = []
    var named: Set<String> = []
    let main = main(apps)
    let own = main.map { keys(of: $0, in: apps) } ?? []
    for permission in needs.all.sorted() {
      // What an extension lacks its app may have, and that was not given.
      guard let main else { break }
      for keys in UsageKey.needed(for: permission, on: main.system) where own.isDisjoint(with: keys) {
        guard named.insert(keys[0]).inserted else { continue }
        let key = UsageKey.named(keys[0])
        // An extension's key does not serve its app. But the extension may be what asks.
        let other = apps.first { !$0.sentences.keys.allSatisfy { !keys.contains($0) } }
        let reason =
          other.map { PurposeFinding.Reason.isElsewhere(file: $0.file) }
          ?? .isMissing(since: key?.first(on: main.system))
        let first = key?.permissions.first
        let isCertain = other == nil && !needs.isConditional(permission)
        found.append(
          AuditFinding(
            .missingPurpose, severity: isCertain ? nil : .warning,
            permission: first.flatMap { needs.all.contains($0) ? $0 : nil } ?? permission,
            detail: .purpose(
              PurposeFinding(
                file: main.file, key: keys[0], calls: needs.calls(permission), path: main.path, reason))))
      }
    }
    for app in apps {
      for (use, keys) in app.declaredUses where there.isDisjoint(with: keys) {
        guard !named.contains(keys[0]) else { continue }
        let place = PurposeFinding(file: app.file, key: keys[0], path: app.path, .isNeededBy(use))
        if !found.contains(where: { $0.detail.isOf(place) }) { found.append(finding(.missingPurpose, place, .warning)) }
      }
    }
    return found
  }

  /// Names that the system does not read, if the app does not have the key that is meant.
  private static func misspelled(_ app: AppPurposes) -> [AuditFinding] {
    app.misspelled.sorted { $0.key < $1.key }.filter { app.sentences[$0.value] == nil }.map { name, meant in
      let place = PurposeFinding(
        file: app.sentences[name]?.file ?? app.file, key: name, line: app.sentences[name]?.line, path: app.path,
        .isMisspelled(meant: meant))
      return AuditFinding(
        .missingPurpose, severity: .warning, permission: UsageKey.named(meant)?.permissions.first,
        detail: .purpose(place))
    }
  }

  /// Keys of the app, and of other apps of its system: which of them asks is not known.
  private static func keys(of main: AppPurposes, in apps: [AppPurposes]) -> Set<String> {
    Set(apps.filter { !$0.isExtension && $0.system == main.system }.flatMap(\.sentences.keys))
  }

  /// Permissions that the code may ask for, and that have no key.
  private static func perhapsMissing(_ apps: [AppPurposes], _ needs: Needs) -> [AuditFinding] {
    guard let main = main(apps), let code = needs.code else { return [] }
    let there = Set(apps.flatMap(\.sentences.keys))
    var sets: [[String]] = []
    for call in code.unclear + code.uses where !sets.contains(call.permissions) { sets.append(call.permissions) }
    return sets.compactMap { permissions in
      let keys = permissions.map { UsageKey.needed(for: $0, on: main.system).flatMap { $0 } }
      // One that has a key, needs none or is reported as missing explains the code.
      let isOpen = zip(permissions, keys).allSatisfy {
        !needs.all.contains($0) && !$1.isEmpty && there.isDisjoint(with: $1)
      }
      guard isOpen, let key = keys.first?.first else { return nil }
      let calls = (code.unclear + code.uses).filter { $0.permissions == permissions }
      return AuditFinding(
        .mayAsk, permission: permissions[0],
        detail: .purpose(
          PurposeFinding(
            file: main.file, key: key, calls: calls, path: main.path, .isPerhapsNeeded(permissions: permissions))))
    }
  }

  /// The same key, which may be there all the same.
  private static func notKnown(_ missing: AuditFinding, _ why: String) -> AuditFinding {
    guard case .purpose(let found) = missing.detail else { return missing }
    let isAsked = if case .isNeededBy = found.reason { false } else { true }
    let place = PurposeFinding(
      file: found.file, key: found.key, calls: found.calls, path: found.path, .isNotKnown(isAsked: isAsked, why: why))
    return AuditFinding(.notKnown, permission: missing.permission, detail: .purpose(place))
  }

  // MARK: - Unused

  private static func unused(_ app: AppPurposes, _ needs: Needs) -> [AuditFinding] {
    app.sentences.keys.sorted().compactMap { name -> AuditFinding? in
      guard let key = UsageKey.named(name), let evidence = needs.absence(of: key) else { return nil }
      return finding(.unusedPurpose, app, name, .isUnused(in: evidence))
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
      let languages = languages.filter { !$0.texts.contains { $0[name]?.isSaid ?? false } }.map(\.name)
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
  /// One finding for each key and what is wrong with it, with all languages that it is wrong in.
  static func weak(_ app: AppPurposes) -> [AuditFinding] {
    // An app's own sentences are often English, whatever its language.
    var found = weak(app.sentences, language: nil, inEnglish: true, app)
    for translation in app.translations {
      let name = translation.language.lowercased()
      // A translation of a key that the app does not have is never shown.
      let sentences = translation.sentences.filter { app.sentences[$0.key] != nil }
      found += weak(
        sentences, language: translation.language, inEnglish: name == "en" || name.hasPrefix("en-"), app)
    }
    var merged: [PurposeFinding] = []
    var places: [Problem: Int] = [:]
    for finding in found {
      let problem = Problem(finding)
      if let place = places[problem] {
        merged[place].translations.append(
          PurposeFinding.Translation(language: finding.language ?? "", file: finding.file, line: finding.line))
      } else {
        places[problem] = merged.count
        merged.append(finding)
      }
    }
    return merged.map { finding(.weakPurpose, $0) }
  }

  /// What is wrong with a key, whatever the language.
  private struct Problem: Hashable {
    let key: String
    let reason: PurposeFinding.Reason

    init(_ finding: PurposeFinding) {
      key = finding.key
      if case .isShort = finding.reason { reason = .isShort(characters: 0) } else { reason = finding.reason }
    }
  }

  private static func weak(
    _ sentences: [String: AppPurposes.Sentence], language: String?, inEnglish: Bool, _ app: AppPurposes
  ) -> [PurposeFinding] {
    var found: [PurposeFinding] = []
    var keysOfText: [String: [String]] = [:]
    for name in sentences.keys.sorted() {
      guard let sentence = sentences[name] else { continue }
      let text = sentence.text.map(PurposeText.init)
      // An empty translation is one that is missing: users see the app's own text.
      if language != nil, text?.isEmpty ?? false, app.sentences[name]?.isSaid ?? false { continue }
      if let reason = text.map({ $0.problem(inEnglish: inEnglish) }) ?? .isNoText {
        found.append(
          PurposeFinding(
            file: sentence.file, key: name, language: language, text: sentence.text, line: sentence.line, reason))
      } else if let text {
        keysOfText[text.trimmed, default: []].append(name)
      }
    }
    for (text, names) in keysOfText.sorted(by: { $0.value[0] < $1.value[0] }) {
      let others = independent(names)
      guard let first = others.first, others.count > 1, let sentence = sentences[first] else { continue }
      found.append(
        PurposeFinding(
          file: sentence.file, key: first, language: language, text: text, line: sentence.line,
          .isRepeated(keys: Array(others.dropFirst()))))
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
