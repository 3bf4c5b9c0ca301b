// The value of a build setting for one target in one configuration. Each of four levels may set it: the project's `.xcconfig`, the project,
// the target's `.xcconfig`, the target. The last setting whose conditions hold counts, and may take in the one before by `$(inherited)`.

import PropertyLists

/// A value, and the conditions under which it counts.
struct BuildSetting {
  let name: String
  /// Like `sdk` and `iphoneos*`.
  let conditions: [(kind: String, pattern: String)]
  let value: String

  /// - Parameter key: a name with its conditions: `NAME[sdk=iphoneos*]`.
  init(key: String, value: String) {
    let parts = key.split(separator: "[")
    name = String(Self.trimmed(parts.first ?? ""))
    conditions = parts.dropFirst().flatMap { part in
      part.prefix { $0 != "]" }.split(separator: ",").map { condition in
        let words = condition.split(separator: "=", maxSplits: 1)
        return (String(Self.trimmed(words.first ?? "")), String(Self.trimmed(words.count > 1 ? words[1] : "")))
      }
    }
    self.value = value
  }

  /// - Parameter line: of an `.xcconfig` file, without a comment; nil if it sets nothing.
  init?(line: String) {
    // An `=` within brackets belongs to a condition.
    var depth = 0
    let equals = line.indices.first { index in
      if line[index] == "[" { depth += 1 }
      if line[index] == "]" { depth -= 1 }
      return line[index] == "=" && depth <= 0
    }
    guard let equals else { return nil }
    var value = Self.trimmed(line[line.index(after: equals)...])
    if value.last == ";" { value = Self.trimmed(value.dropLast()) }
    self.init(key: String(line[..<equals]), value: String(value))
    if name.isEmpty { return nil }
  }

  static func trimmed(_ text: Substring) -> Substring {
    let rest = text.drop(while: \.isWhitespace)
    return rest.lastIndex { !$0.isWhitespace }.map { rest[...$0] } ?? ""
  }
}

/// What is built: it decides which conditions hold.
struct BuildKind: Equatable {
  var configuration: String
  var sdk: String

  func holds(_ setting: BuildSetting) -> Bool {
    setting.conditions.allSatisfy { kind, pattern in
      switch kind {
      // Conditions on a version of the SDK do not hold: which one it will be is not known.
      case "sdk": Self.matches(sdk, pattern)
      case "config": Self.matches(configuration, pattern)
      case "arch": Self.matches("arm64", pattern)
      // Of an older Xcode. The usual one is meant.
      case "variant": Self.matches("normal", pattern)
      default: false
      }
    }
  }

  /// Whether a text fits a pattern with `*` and `?`: in steps of at most the product of their lengths.
  private static func matches(_ text: String, _ pattern: String) -> Bool {
    let (text, pattern) = (Array(text.utf8), Array(pattern.utf8))
    var (i, j) = (0, 0)
    // Where to go on if what follows the last `*` does not fit.
    var again: (text: Int, pattern: Int)?
    while i < text.count {
      if j < pattern.count, pattern[j] == UInt8(ascii: "*") {
        again = (i, j)
        j += 1
      } else if j < pattern.count, pattern[j] == text[i] || pattern[j] == UInt8(ascii: "?") {
        (i, j) = (i + 1, j + 1)
      } else if let last = again {
        again = (last.text + 1, last.pattern)
        (i, j) = (last.text + 1, last.pattern + 1)
      } else {
        return false
      }
    }
    return pattern[j...].allSatisfy { $0 == UInt8(ascii: "*") }
  }
}

/// One of the four levels.
struct SettingsLevel {
  /// In the order in which they count.
  var settings: [BuildSetting]
  /// Where the settings are written.
  var file: String
  /// Files with more settings of this level that are not there.
  var missing: [String] = []
}

/// The settings of a target.
struct BuildSettings {
  let kind: BuildKind
  /// Settings that Xcode makes itself.
  let builtIn: [String: String]
  /// Files that have more settings, and are not there.
  let missing: [String]
  /// Of each name the settings whose conditions hold, from the one that counts least to the one that counts.
  private let settings: [String: [(value: String, file: String)]]

  /// - Parameter levels: from the lowest to the highest.
  init(kind: BuildKind, levels: [SettingsLevel], builtIn: [String: String]) {
    (self.kind, self.builtIn, missing) = (kind, builtIn, levels.flatMap(\.missing))
    var settings: [String: [(value: String, file: String)]] = [:]
    for level in levels {
      for setting in level.settings where kind.holds(setting) {
        settings[setting.name, default: []].append((setting.value, level.file))
      }
    }
    self.settings = settings
  }

  struct Value: Equatable {
    var text: String
    var file: String
    /// False if a variable in it is not known; then it stands in the text.
    var isKnown = true
  }

  /// A project may name variables within each other without an end, or so that their number doubles with each.
  private static let mostDepth = 24
  private static let mostVariables = 2_000
  private static let longestValue = 1 << 14

  /// Names that are set, in order.
  func names(withPrefix prefix: String) -> [String] { settings.keys.filter { $0.hasPrefix(prefix) }.sorted() }

  /// - Returns: nil if nothing sets it. If files are missing it may be set there.
  func value(_ name: String) -> Value? {
    var variables = 0
    return value(name, below: .max, depth: 0, &variables)
  }

  /// - Parameter top: how many of the name's settings are looked at: `$(inherited)` in one of them is the value of those before it.
  private func value(_ name: String, below top: Int, depth: Int, _ variables: inout Int) -> Value? {
    let all = settings[name] ?? []
    let count = min(top, all.count)
    guard count > 0 else { return builtIn[name].map { Value(text: $0, file: "") } }
    var value = Value(text: "", file: all[count - 1].file)
    (value.text, value.isKnown) = expanded(
      all[count - 1].value, of: name, below: count - 1, depth: depth, &variables)
    return value
  }

  /// A text with the values of its variables, `$(NAME)` and `${NAME}`. A variable that is not known stays, and the result says so.
  func expanded(_ text: String) -> (text: String, isKnown: Bool) {
    var variables = 0
    return expanded(text, of: "", below: 0, depth: 0, &variables)
  }

  private func expanded(
    _ text: String, of name: String, below level: Int, depth: Int, _ variables: inout Int
  ) -> (text: String, isKnown: Bool) {
    guard text.contains("$") else { return (text, true) }
    var (result, isKnown, rest) = ("", true, text[...])
    while let start = rest.firstIndex(of: "$") {
      result += rest[..<start]
      let after = rest[start...].dropFirst()
      guard let open = after.first, open == "(" || open == "{",
        let end = after.firstIndex(of: open == "(" ? ")" : "}")
      else {
        result += "$"
        rest = after
        continue
      }
      variables += 1
      guard depth < Self.mostDepth, variables < Self.mostVariables, result.utf8.count < Self.longestValue else {
        return (result + rest[start...], false)
      }
      let variable = String(after[after.index(after: after.startIndex)..<end])
      var found: Value?
      if variable == "inherited" || variable == name {
        found = value(name, below: level, depth: depth + 1, &variables)
        if found == nil, missing.isEmpty, !name.isEmpty { found = Value(text: "", file: "") }
      } else {
        // `$(NAME:rfc1034identifier)` changes the value's spelling, and is no setting's name.
        found = value(variable, below: .max, depth: depth + 1, &variables)
      }
      result += found?.text ?? String(rest[start...end])
      isKnown = isKnown && found?.isKnown ?? false
      rest = after[end...].dropFirst()
    }
    return (result + rest, isKnown)
  }
}
