// The conditions of lines like `#if DEBUG`: which lines are in an app that is shipped.

/// The systems that an app is built for.
public enum SourceSystem: String, Sendable, CaseIterable {
  case iOS, macOS, tvOS, watchOS, visionOS
}

/// The value of a condition in the app that is shipped: true, false, or nil if the project decides it by names of its own.
struct BuildCondition {
  private let words: [Substring]
  private let systems: Set<SourceSystem>
  private var next = 0

  private static let mostDepth = 32

  /// - Parameter text: after `#if`, without a comment.
  static func value(_ text: String, systems: Set<SourceSystem>) -> Bool? {
    var condition = BuildCondition(text, systems)
    let value = condition.anyOf(depth: 0)
    // What was not understood is not known.
    return condition.next == condition.words.count ? value : nil
  }

  private init(_ text: String, _ systems: Set<SourceSystem>) {
    self.systems = systems
    var words: [Substring] = []
    var rest = text[...]
    while let first = rest.first {
      if first.isWhitespace {
        rest.removeFirst()
        continue
      }
      let length =
        first.isLetter || first.isNumber || first == "_"
        ? rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "." }.count
        : rest.hasPrefix("&&") || rest.hasPrefix("||") ? 2 : 1
      words.append(rest.prefix(length))
      rest = rest.dropFirst(length)
    }
    self.words = words
  }

  private mutating func take(_ word: String) -> Bool {
    guard next < words.count, words[next] == word else { return false }
    next += 1
    return true
  }

  private mutating func anyOf(depth: Int) -> Bool? {
    var value = allOf(depth: depth)
    while take("||") {
      let other = allOf(depth: depth)
      value = value == true || other == true ? true : value == nil || other == nil ? nil : false
    }
    return value
  }

  private mutating func allOf(depth: Int) -> Bool? {
    var value = one(depth: depth)
    while take("&&") { value = Self.both(value, one(depth: depth)) }
    return value
  }

  static func both(_ a: Bool?, _ b: Bool?) -> Bool? {
    a == false || b == false ? false : a == nil || b == nil ? nil : true
  }

  private mutating func one(depth: Int) -> Bool? {
    guard depth < Self.mostDepth, next < words.count else { return nil }
    if take("!") { return one(depth: depth + 1).map { !$0 } }
    if take("(") {
      let value = anyOf(depth: depth + 1)
      return take(")") ? value : nil
    }
    let word = words[next]
    next += 1
    let argument = arguments()
    return Self.value(String(word), argument, systems)
  }

  /// What is in the parentheses after a word; nil if there are none.
  private mutating func arguments() -> String? {
    guard next < words.count, words[next] == "(" else { return nil }
    guard let end = words[next...].firstIndex(of: ")") else { return nil }
    defer { next = end + 1 }
    return words[(next + 1)..<end].joined(separator: " ")
  }

  private static func value(_ word: String, _ argument: String?, _ systems: Set<SourceSystem>) -> Bool? {
    switch (word, argument) {
    case ("true", _), ("1", nil): return true
    case ("false", _), ("0", nil), ("DEBUG", nil), ("TARGET_OS_SIMULATOR", nil), ("TARGET_IPHONE_SIMULATOR", nil):
      return false
    case ("defined", let name?): return name == "DEBUG" ? false : nil
    case ("os", let name?): return isBuilt(for: [name == "OSX" ? "macOS" : name], systems)
    case ("targetEnvironment", "simulator"?): return false
    // The newest compiler and system have what is asked for.
    case ("canImport", let module?): return canImport(module, systems)
    case ("compiler", _), ("swift", _): return argument?.first != "<"
    case ("TARGET_OS_OSX", nil): return isBuilt(for: ["macOS"], systems)
    case ("TARGET_OS_IOS", nil): return isBuilt(for: ["iOS"], systems)
    case ("TARGET_OS_TV", nil): return isBuilt(for: ["tvOS"], systems)
    case ("TARGET_OS_WATCH", nil): return isBuilt(for: ["watchOS"], systems)
    case ("TARGET_OS_VISION", nil): return isBuilt(for: ["visionOS"], systems)
    case ("TARGET_OS_IPHONE", nil): return isBuilt(for: ["iOS", "tvOS", "watchOS", "visionOS"], systems)
    default: return nil
    }
  }

  private static func isBuilt(for names: [String], _ systems: Set<SourceSystem>) -> Bool? {
    let count = systems.count { names.contains($0.rawValue) }
    return count == 0 ? false : count == systems.count ? true : nil
  }

  /// Modules that only some systems have; of others it is not known whether the project has them.
  private static func canImport(_ module: String, _ systems: Set<SourceSystem>) -> Bool? {
    switch module {
    case "UIKit": isBuilt(for: ["iOS", "tvOS", "watchOS", "visionOS"], systems)
    case "AppKit": isBuilt(for: ["macOS"], systems)
    case "SwiftUI", "Foundation", "CoreLocation", "AVFoundation": true
    default: nil
    }
  }
}

/// Whether the present line is in the app, while a file is read from its top.
struct BuildConditions {
  private struct Level {
    /// Of this branch, and whether one before it was taken.
    var value, isTaken: Bool?
    /// Of the lines around it.
    let outer: Bool?
  }

  private let systems: Set<SourceSystem>
  private var levels: [Level] = []

  init(systems: Set<SourceSystem>) { self.systems = systems }

  /// True, false, or nil if it is not known.
  var value: Bool? {
    guard let level = levels.last else { return true }
    return BuildCondition.both(level.outer, level.value)
  }

  /// - Parameter line: like `#if DEBUG`, with the `#`.
  mutating func read(_ line: String) {
    let text = line.dropFirst().drop { $0.isWhitespace }
    let word = text.prefix { $0.isLetter }
    var rest = String(text.dropFirst(word.count))
    for mark in ["//", "/*"] {
      if let comment = rest.firstRange(of: mark) { rest = String(rest[..<comment.lowerBound]) }
    }
    rest = rest.replacing("\\\n", with: " ")
    switch word {
    case "if": begin(BuildCondition.value(rest, systems: systems))
    case "ifdef": begin(BuildCondition.value("defined(\(rest))", systems: systems))
    case "ifndef": begin(BuildCondition.value("!defined(\(rest))", systems: systems))
    case "elseif", "elif": branch(BuildCondition.value(rest, systems: systems))
    case "else": branch(true)
    default: _ = levels.popLast()
    }
  }

  private mutating func begin(_ value: Bool?) {
    levels.append(Level(value: value, isTaken: value, outer: self.value))
  }

  private mutating func branch(_ value: Bool?) {
    guard var level = levels.popLast() else { return }
    level.value = BuildCondition.both(level.isTaken.map { !$0 }, value)
    level.isTaken = level.isTaken == true || value == true ? true : level.isTaken == nil || value == nil ? nil : false
    levels.append(level)
  }
}
