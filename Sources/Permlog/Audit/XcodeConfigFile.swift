// Build settings in a text file (`.xcconfig`), as Xcode reads them:
//
//   #include "Base.xcconfig"
//   #include? "Local"               // may be missing; the ending may be left out
//   NAME = value
//   NAME[sdk=iphoneos*][config=Release] = value

import EventImport
import PropertyLists

struct XcodeConfigFile {
  /// In the order in which they count: a later one replaces an earlier one with the same name, if its conditions hold.
  private(set) var settings: [BuildSetting] = []
  /// All that were read, included ones too.
  private(set) var files: [String] = []
  /// Files that may have more settings, and are not there or are named in an unknown way.
  private(set) var missing: [String] = []

  private static let mostFiles = 200
  private static let mostBytes = 1 << 20
  private static let mostSettings = 20_000

  /// - Throws: `dataRefused` for a file that is too large, or not text.
  init(_ path: String) throws(PermlogError) {
    // Also a file that a project names, and that a tool like CocoaPods has not made yet.
    if SmallFile.isRegular(path) { try read(path, includedBy: []) } else { miss(path) }
  }

  private mutating func miss(_ path: String) { if !missing.contains(path) { missing.append(path) } }

  private mutating func read(_ path: String, includedBy outer: [String]) throws(PermlogError) {
    let isOpen = outer.contains { WholeFile.resolved($0) == WholeFile.resolved(path) }
    guard !isOpen else { return }
    guard files.count < Self.mostFiles else { return miss(path) }
    files.append(path)
    guard let bytes = try SmallFile.read(path, limit: Self.mostBytes, argument: .infoPlist, isRegular: true) else {
      throw PropertyListFile.refusal(
        path, "it is larger than \(Self.mostBytes >> 20) MiB, too large for build settings")
    }
    if bytes.contains(0) { throw PropertyListFile.refusal(path, "it is not text in UTF-8") }
    for line in Self.lines(bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]) {
      let text = BuildSetting.trimmed(line)
      if text.hasPrefix("#") {
        try include(text, from: path, outer + [path])
      } else if let setting = BuildSetting(line: Self.withoutComment(text)) {
        guard settings.count < Self.mostSettings else {
          throw PropertyListFile.refusal(path, "with the files that it includes, it has more than 20,000 settings")
        }
        settings.append(setting)
      }
    }
  }

  /// Lines, of which one that ends in a backslash goes on in the next.
  private static func lines(_ bytes: ArraySlice<UInt8>) -> [Substring] {
    var lines: [Substring] = []
    var open: String?
    for line in String(bounded: bytes).split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
      let text = (open ?? "") + line
      if text.hasSuffix("\\") {
        open = String(text.dropLast())
      } else {
        lines.append(text[...])
        open = nil
      }
    }
    return lines + (open.map { [$0[...]] } ?? [])
  }

  /// - Parameter outer: the files that are being read, the innermost last.
  private mutating func include(_ text: Substring, from path: String, _ outer: [String]) throws(PermlogError) {
    let directive = BuildSetting.trimmed(text.dropFirst())
    let isOptional = directive.hasPrefix("include?")
    let parts = directive.split(separator: "\"", omittingEmptySubsequences: false)
    guard directive.hasPrefix("include"), parts.count >= 3 else {
      return miss("what \(path) names by \(text.prefix(60))")
    }
    let name = String(parts[1])
    // A folder of Xcode's own is not known here.
    let names = name.hasPrefix("<") ? [] : name.hasSuffix(".xcconfig") ? [name] : [name, name + ".xcconfig"]
    for file in outer.reversed() {
      let folder = file.lastIndex(of: "/").map { String(file[..<$0]) } ?? "."
      for name in names {
        let included = name.hasPrefix("/") ? name : folder + "/" + name
        if SmallFile.isRegular(included) { return try read(included, includedBy: outer) }
      }
    }
    if !isOptional { miss((path.lastIndex(of: "/").map { path[...$0] } ?? "") + name) }
  }

  /// Everything after two slashes, even within an address, as Xcode reads it.
  private static func withoutComment(_ line: Substring) -> String {
    String(BuildSetting.trimmed(line.firstRange(of: "//").map { line[..<$0.lowerBound] } ?? line))
  }
}
