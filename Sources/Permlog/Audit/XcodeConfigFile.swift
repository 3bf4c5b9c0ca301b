// Build settings in a text file (`.xcconfig`), as Xcode reads them:
//
//   #include "Base.xcconfig"
//   #include? "Local.xcconfig"      // may be missing
//   NAME = value
//   NAME[sdk=iphoneos*][config=Release] = value

import EventImport
import PropertyLists

/// Where build settings are looked for in vain.
struct MissingSettings {
  private(set) var files: [String] = []

  mutating func add(_ path: String) { if !files.contains(path) { files.append(path) } }
}

struct XcodeConfigFile {
  /// In the order in which they count: a later one replaces an earlier one with the same name and conditions.
  private(set) var settings: [BuildSetting] = []
  /// All that were read, included ones too.
  private(set) var files: [String] = []
  private(set) var missing = MissingSettings()

  private static let mostFiles = 200
  private static let mostBytes = 1 << 20
  private static let mostSettings = 20_000

  /// - Throws: `dataRefused` for a file that is too large, or not text.
  init(_ path: String) throws(PermlogError) {
    // Also a file that a project names, and that a tool like CocoaPods has not made yet.
    if SmallFile.isRegular(path) { try read(path, includedBy: []) } else { missing.add(path) }
  }

  private mutating func read(_ path: String, includedBy outer: [String]) throws(PermlogError) {
    let name = WholeFile.resolved(path)
    guard !outer.contains(name) else { return }
    guard files.count < Self.mostFiles else { return missing.add(path) }
    files.append(path)
    guard let bytes = try SmallFile.read(path, limit: Self.mostBytes, argument: .infoPlist, isRegular: true) else {
      throw PropertyListFile.refusal(
        path, "it is larger than \(Self.mostBytes >> 20) MiB, too large for build settings")
    }
    for line in bytes.split(separator: 0x0A, omittingEmptySubsequences: true) {
      let text = Self.withoutComment(String(bounded: line))
      if text.hasPrefix("#include") {
        try include(text, from: path, outer + [name])
      } else if let setting = BuildSetting(line: text) {
        guard settings.count < Self.mostSettings else {
          throw PropertyListFile.refusal(path, "with the files that it includes, it has more than 20,000 settings")
        }
        settings.append(setting)
      }
    }
  }

  private mutating func include(_ text: String, from path: String, _ outer: [String]) throws(PermlogError) {
    let parts = text.split(separator: "\"", omittingEmptySubsequences: false)
    guard parts.count >= 3 else { return }
    let name = String(parts[1])
    let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
    let included = name.hasPrefix("/") ? name : folder + "/" + name
    if !name.contains("<"), SmallFile.isRegular(included) {
      try read(included, includedBy: outer)
    } else if !text.hasPrefix("#include?") {
      missing.add(included)
    }
  }

  /// Everything after two slashes, even within an address, as Xcode reads it.
  private static func withoutComment(_ line: String) -> String {
    var text = line[...]
    if let comment = line.firstRange(of: "//") { text = line[..<comment.lowerBound] }
    return String(BuildSetting.trimmed(text))
  }
}
