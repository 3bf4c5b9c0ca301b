// Properties that apps and SDKs put on every row: the variant of an experiment, the state of a permission. Which of them matter
// only the reader knows, so they are read if they are named, and listed otherwise.

import PermissionEvents

/// A named property of any row, and what it says of the row's user.
package struct StickyProperty: Sendable, Hashable {
  package enum Meaning: Sendable, Hashable {
    /// The variant of the experiment with the property's name.
    case experiment
    /// What the app knows of a permission.
    case state(permission: String)
  }

  package var name: String
  package var meaning: Meaning

  package init(experiment name: String) { (self.name, meaning) = (name, .experiment) }

  package init(state name: String, permission: String) {
    (self.name, meaning) = (name, .state(permission: permission))
  }

  /// How an error names it.
  var title: String {
    switch meaning {
    case .experiment: "the experiment \(name)"
    case .state(let permission): "the state of \(permission)"
    }
  }

  package var isExperiment: Bool { meaning == .experiment }
  package var permission: String? { if case .state(let permission) = meaning { permission } else { nil } }

  /// The most that can be read at once: each row may make as many events.
  package static let most = 16

  /// The names under which rows have it.
  var references: [PropertyReference] {
    guard isExperiment else { return [PropertyReference(name)] }
    return ["$feature/" + name, "[Experiment] " + name, name].map { .name($0) }
  }

  // MARK: States

  /// Bytes of the longest name of a state's property.
  package static let longestState = StringField.maximumLength - StateSurface.prefix.utf8.count

  /// The surface of the events that a state makes begins with this; the property's name follows.
  package var surface: String { StateSurface.prefix + name }

  /// The status that a value of a state's property means. `false` has none: the permission is off, or nobody has asked yet.
  /// - Returns: nil if it is not certain. `push_opt_out: false` does not say that pushes are on, a bare number may be the
  ///   system's or yes and no, and a property about the ask (`push_prompted`) is no state.
  package func status(_ value: some Collection<UInt8>) -> AuthorizationStatus? {
    let lexemes = Lexicon.shared.lexemes(of: NormalName(Array(name.utf8)))
    let outcomes = lexemes.filter { !$0.traits.isDisjoint(with: .outcomes) }
    let isNo =
      outcomes.contains { !$0.traits.isDisjoint(with: [.no, .skip, .revoked]) }
      || lexemes.contains { ["opt_out", "optout"].contains($0.text) }
    let isYes =
      outcomes.contains { !$0.traits.isDisjoint(with: [.yes, .reEnabled]) }
      || lexemes.contains { ["opt_in", "optin", "subscribed"].contains($0.text) }
    if lexemes.contains(where: { !$0.traits.isDisjoint(with: [.asked, .shown, .tapped]) }) { return nil }
    let isTurned = lexemes.contains {
      !$0.traits.isDisjoint(with: [.negator, .doubt]) && $0.traits.isDisjoint(with: .outcomes)
        && !["opt_out", "optout"].contains($0.text)
    }
    guard !isTurned, !(isYes && isNo) else { return nil }
    let isNumber = value.allSatisfy { $0 >= 0x30 && $0 <= 0x39 || $0 == 0x2E }
    if let isTrue = PropertyReading.boolean(value), isYes || isNo || !isNumber {
      if isNo { return isTrue ? .denied : nil }
      return isTrue ? .authorized : AuthorizationStatus.none
    }
    if isNo { return nil }
    // Flags are often written without capitals.
    let letters = NormalName(Array(value)).letters
    return letters == "notdetermined" || letters == "undetermined" ? .notDetermined : StatusWords.status(value)
  }
}

extension MappingProgram {
  /// The property, if it is one that rows carry of an experiment or a permission's state and that is not read.
  /// - Parameter key: a member's key or a column's name.
  package func unread(_ key: String) -> StickyProperty? {
    let found = Self.flag(key).map { StickyProperty(experiment: $0) } ?? Self.state(key)
    let letters = found.map { NormalName(Array($0.name.utf8)).letters }
    guard let found,
      !sticky.contains(where: { NormalName(Array($0.property.name.utf8)).letters == letters })
    else { return nil }
    return found
  }

  /// The experiment, as PostHog (`$feature/push_copy`), Amplitude (`[Experiment] push_copy`) and Firebase (`firebase_exp_1`) have it.
  private static func flag(_ key: String) -> String? {
    var name: String?
    if let range = key.firstRange(of: "$feature/") { name = String(key[range.upperBound...]) }
    if let range = key.firstRange(of: "[Experiment] ") {
      let rest = String(key[range.upperBound...])
      // The properties of an exposure's own row.
      if !["Flag Key", "Variant", "Experiment Key"].contains(rest) { name = rest }
    }
    if let range = key.firstRange(of: "firebase_exp_") { name = String(key[range.lowerBound...]) }
    return name.flatMap { $0.isEmpty || $0.utf8.count > StringField.maximumLength ? nil : $0 }
  }

  /// A state that an app sends with every row, by its name: `push_enabled`, `notification_permission`.
  private static func state(_ key: String) -> StickyProperty? {
    let name = String(key.split(separator: ".").last ?? "")
    guard !name.isEmpty, name.utf8.count <= 100 else { return nil }
    let words = NormalName(Array(name.utf8))
    let lexemes = Lexicon.shared.lexemes(of: words)
    guard case .one(let permission) = PermissionWords.join(lexemes.compactMap(\.permission)),
      TellingKey(words, name: name) == nil
    else { return nil }
    let says = lexemes.contains {
      Lexicon.switchKeys.contains($0.text) || Lexicon.statusKeys.contains($0.text) || $0.traits.contains(.marker)
    }
    let isPlain = lexemes.allSatisfy {
      $0.permission != nil || Lexicon.switchKeys.contains($0.text) || Lexicon.statusKeys.contains($0.text)
        || $0.traits.contains(.marker) || ["is", "has", "os", "ios", "i_os", "system", "device"].contains($0.text)
    }
    return says && isPlain ? StickyProperty(state: name, permission: permission) : nil
  }
}
