// The value of a build setting for one target in one configuration. Each of four levels may set it: the project's `.xcconfig`, the project,
// the target's `.xcconfig`, the target. A higher level counts, and may take in the lower one's value by `$(inherited)`.

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
      case "sdk": Self.matches(sdk, pattern)
      case "config": Self.matches(configuration, pattern)
      case "arch": Self.matches("arm64", pattern)
      // A variant of an older Xcode. The usual one is meant.
      case "variant": Self.matches("normal", pattern)
      default: false
      }
    }
  }

  /// Whether a pattern that may end in `*` fits. A version after the name of an SDK is that of the newest.
  private static func matches(_ text: String, _ pattern: String) -> Bool {
    if pattern.hasSuffix("*") {
      let start = pattern.dropLast()
      return text.hasPrefix(start)
        || start.hasPrefix(text) && start.dropFirst(text.count).allSatisfy { $0.isNumber || $0 == "." }
    }
    return text == pattern
      || pattern.hasPrefix(text) && pattern.dropFirst(text.count).allSatisfy { $0.isNumber || $0 == "." }
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
  /// From the lowest to the highest.
  let levels: [SettingsLevel]
  /// Settings that Xcode makes itself.
  let builtIn: [String: String]

  struct Value: Equatable {
    var text: String
    var file: String
    /// False if a variable in it is not known; then it stands in the text.
    var isKnown = true
  }

  private static let mostDepth = 24
  private static let longestValue = 1 << 16

  /// Files that have more settings, and are not there.
  var missing: [String] { levels.flatMap(\.missing) }

  /// Names that any level sets under these conditions, in order.
  func names(withPrefix prefix: String) -> [String] {
    Set(levels.flatMap { $0.settings.filter { $0.name.hasPrefix(prefix) && kind.holds($0) }.map(\.name) }).sorted()
  }

  /// - Returns: nil if no level sets it. If files are missing it may be set there.
  func value(_ name: String) -> Value? { value(name, below: levels.count, depth: 0) }

  private func value(_ name: String, below top: Int, depth: Int) -> Value? {
    for index in (0..<top).reversed() {
      let found = levels[index].settings.filter { $0.name == name && kind.holds($0) }
      // One with conditions counts before one without, and of two the later one.
      guard let setting = found.last(where: { !$0.conditions.isEmpty }) ?? found.last else { continue }
      var value = Value(text: "", file: levels[index].file)
      (value.text, value.isKnown) = expanded(setting.value, of: name, below: index, depth: depth)
      return value
    }
    return builtIn[name].map { Value(text: $0, file: "") }
  }

  /// A text with the values of its variables, `$(NAME)` and `${NAME}`. A variable that is not known stays, and the result says so.
  func expanded(_ text: String) -> (text: String, isKnown: Bool) {
    expanded(text, of: "", below: levels.count, depth: 0)
  }

  private func expanded(_ text: String, of name: String, below level: Int, depth: Int) -> (text: String, isKnown: Bool)
  {
    guard text.contains("$") else { return (text, true) }
    var (result, isKnown, rest) = ("", true, text[...])
    while let start = rest.firstIndex(of: "$") {
      result += rest[..<start]
      let after = rest[start...].dropFirst()
      guard let open = after.first, open == "(" || open == "{",
        let end = after.firstIndex(of: open == "(" ? ")" : "}"), result.utf8.count < Self.longestValue
      else {
        result += "$"
        rest = after
        continue
      }
      let variable = after[after.index(after: after.startIndex)..<end]
      // `$(NAME:rfc1034identifier)` changes the value's spelling.
      let words = variable.split(separator: ":", omittingEmptySubsequences: false)
      let other = String(words.first ?? "")
      let found: Value? =
        depth >= Self.mostDepth
        ? nil
        : other == "inherited" || other == name
          ? value(name, below: level, depth: depth + 1)
            ?? (missing.isEmpty && !name.isEmpty ? Value(text: "", file: "") : nil)
          : value(other, below: levels.count, depth: depth + 1)
      if let found, words.count == 1 {
        result += found.text
        isKnown = isKnown && found.isKnown
      } else {
        result += rest[start...end]
        isKnown = false
      }
      rest = after[end...].dropFirst()
    }
    return (result + rest, isKnown)
  }
}
