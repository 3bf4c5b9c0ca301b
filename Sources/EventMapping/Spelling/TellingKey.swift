// The keys about an answer that no mapping lists: `permission.status`, `push_status`, `notification_result`. A key is
// read word by word as a name is. A key of known words can answer and contradict; with an unknown word it can only
// contradict. Values that an app sends with every row (`push_enabled`, `notification_permission`) do neither.

import PermissionEvents

package struct TellingKey: Hashable, Sendable {
  enum Kind: Hashable, Sendable {
    case result, status
    /// True or false, of an answer that the key names.
    case flag(Traits)
    /// A word turns the key, so that no value of it is understood: `no_permission: true`.
    case turned
    /// The key is known to hold too much to be read.
    case tooMany
  }

  /// As in the export, for tables and messages.
  package let name: String
  let kind: Kind
  /// False if a word of it is not known: it may be about something else.
  let isCertain: Bool
  /// The permission that it is about; another permission's answer does not count.
  let permission: PermissionWords.Meaning
  /// It is the answer on the app's own screen.
  let isOwn: Bool

  /// Replaces the keys of a record that has more of them than slots.
  package static let tooMany = TellingKey(
    name: "(properties)", kind: .tooMany, isCertain: true, permission: .none, isOwn: false)
}

extension TellingKey {
  /// nil if the key is not about an answer to the event.
  /// - Parameters:
  ///   - words: the key in normal form.
  ///   - name: the key as in the export.
  package init?(_ words: NormalName, name: String) {
    let lexemes = Self.lexemes(of: words)
    guard !lexemes.isEmpty, lexemes.count <= 10 else { return nil }
    let texts = lexemes.map(\.text)
    func has(_ set: Set<String>) -> Bool { texts.contains(where: set.contains) }
    if has(Lexicon.keysOfBefore) || has(Lexicon.measures) || has(Lexicon.otherSubjects) { return nil }
    let named = lexemes.compactMap(\.permission)
    let answers = lexemes.filter { Self.isOutcome($0) }
    let isMarked = lexemes.contains { $0.traits.contains(.marker) }
    let turns = lexemes.contains { !$0.traits.isDisjoint(with: [.negator, .determiner]) && !Self.isOutcome($0) }
    let kind: Kind
    var isCertain = lexemes.allSatisfy { Self.isPlain($0) }
    if !answers.isEmpty {
      let isSwitch = answers.allSatisfy { Lexicon.switchKeys.contains($0.text) }
      if isSwitch, !named.isEmpty || !isCertain { return nil }
      // That it is not for good says nothing of the answer itself.
      if answers.contains(where: { $0.status == .denied }) { isCertain = false }
      kind = AnswerReading.single(Self.outcomes(answers)).map { .flag($0) } ?? .turned
    } else if has(Lexicon.answerKeys) {
      kind = .result
    } else if has(Lexicon.statusKeys) {
      let isNoun = has(["status", "state"])
      // `notification_authorization` is a state as `notification_permission` is.
      if !named.isEmpty, !isNoun { return nil }
      kind = .status
      let speaks = { (lexeme: Lexeme) in
        lexeme.permission != nil || !lexeme.traits.isDisjoint(with: [.marker, .prompt, .weakPrompt, .system, .asked])
          || ["auth", "authorization", "authorisation", "final", "new", "current", "user"].contains(lexeme.text)
      }
      isCertain = isCertain && lexemes.contains(where: speaks)
    } else if isMarked, named.isEmpty, isCertain || turns {
      // `current_permission: denied`; other values there have no meaning.
      kind = .status
    } else {
      return nil
    }
    self.init(
      name: name, kind: turns ? .turned : kind, isCertain: isCertain, permission: PermissionWords.join(named),
      isOwn: lexemes.contains { $0.traits.contains(.own) })
  }

  private static let optOut: Set<String> = ["opt_out", "optout"]

  private static func isOutcome(_ lexeme: Lexeme) -> Bool {
    if optOut.contains(lexeme.text) { return true }
    if lexeme.traits.contains(.boolean) || lexeme.traits.isDisjoint(with: .outcomes) { return false }
    // `limited` and `always` are as often something else.
    return lexeme.status == nil || lexeme.status == .restricted || lexeme.status == .denied
  }

  private static func outcomes(_ lexemes: [Lexeme]) -> Traits {
    var result = lexemes.reduce(into: Traits()) { result, lexeme in
      result.formUnion(optOut.contains(lexeme.text) ? .no : lexeme.traits.intersection(.outcomes))
    }
    if result.contains(.reEnabled) { result.remove(.yes) }
    return result
  }

  /// Whether a word does not change the key's meaning.
  private static func isPlain(_ lexeme: Lexeme) -> Bool {
    if isOutcome(lexeme) { return true }
    if !lexeme.traits.isDisjoint(with: [.negator, .doubt]) { return false }
    return lexeme.permission != nil || Lexicon.aroundKeys.contains(lexeme.text)
      || Lexicon.answerKeys.contains(lexeme.text) || Lexicon.statusKeys.contains(lexeme.text)
      || !lexeme.traits.isDisjoint(with: [
        .marker, .prompt, .weakPrompt, .system, .own, .page, .overlay, .shown, .asked, .tapped,
      ])
  }

  private static let endings =
    ["status", "state"]
    + wordList(
      "result response answer outcome decision choice granted denied allowed accepted declined authorized permission")

  /// The words; of an unknown one, like `authstatus`, its ending is used.
  private static func lexemes(of words: NormalName) -> [Lexeme] {
    let found = Lexicon.shared.lexemes(of: words)
    guard found.contains(where: \.isUnknown) else { return found }
    let texts = words.words.map { word -> String in
      guard Lexicon.shared[word] == nil, let end = endings.first(where: { word.hasSuffix($0) && word != $0 }) else {
        return word
      }
      return word.dropLast(end.count) + "_" + end
    }
    return Lexicon.shared.lexemes(of: NormalName(texts.joined(separator: "_")))
  }

  /// False if the key speaks of another permission than the event.
  func concerns(_ permission: [UInt8]?) -> Bool {
    guard let permission, case .one(let named) = self.permission else { return true }
    return SubjectReading.agree(named, permission)
  }
}
