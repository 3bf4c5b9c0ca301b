// What stands for an app's Info.plists: a file, a built app, a project, a workspace, or a folder with projects.

import SystemCalls

enum XcodeArgument {
  /// An Info.plist, or a built app.
  case file
  /// An app as it is uploaded.
  case archive(String)
  /// Paths of projects, the path by which people know them, and projects that are named and not there.
  case projects([String], namedBy: String, missing: [String])

  /// - Throws: `dataRefused` for what must be built, made or unpacked first.
  init(_ path: String) throws(PermlogError) {
    let name = path.utf8.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
    if name.hasSuffix(".xcodeproj") {
      self = .projects([name], namedBy: name, missing: [])
    } else if name.hasSuffix(".xcworkspace") {
      let workspace = try XcodeWorkspace(name)
      self = .projects(workspace.projects, namedBy: name, missing: workspace.missing)
    } else if name.lowercased().hasSuffix(".ipa") {
      self = .archive(name)
    } else {
      self = try Self.folder(name)
    }
  }

  /// Generators of projects, by the files that they read.
  private static let generators = ["project.yml": "xcodegen", "Project.swift": "tuist generate"]

  private static func folder(_ path: String) throws(PermlogError) -> XcodeArgument {
    let names = try PlistFolder.names(in: path)
    // A built app, or the folder of an Info.plist.
    if names.isEmpty || names.contains("Info.plist") || names.contains("Contents") { return .file }
    let inside = names.map { path == "/" ? "/" + $0 : path + "/" + $0 }
    let projects = inside.filter { $0.hasSuffix(".xcodeproj") }
    if !projects.isEmpty { return .projects(projects, namedBy: path, missing: []) }
    if let workspace = inside.first(where: { $0.hasSuffix(".xcworkspace") }) { return try XcodeArgument(workspace) }
    if let generator = generators.sorted(by: { $0.key < $1.key }).first(where: { names.contains($0.key) }) {
      throw PermlogError(
        .dataRefused,
        "\(path): it has no Xcode project yet. Make it with \(generator.value), which reads \(generator.key), or name the built app.",
        argument: .infoPlist)
    }
    return .file
  }
}

/// The projects of a workspace, as its `contents.xcworkspacedata` has them: XML of a few lines.
struct XcodeWorkspace {
  /// Paths, in their order.
  private(set) var projects: [String] = []
  /// Projects that it names and that are not there. An app may be in one of them; CocoaPods' own has none.
  private(set) var missing: [String] = []

  private static let mostBytes = 1 << 20
  private static let mostProjects = 1_000

  init(_ path: String) throws(PermlogError) {
    let file = path + "/contents.xcworkspacedata"
    guard let bytes = try SmallFile.read(file, limit: Self.mostBytes, argument: .infoPlist, isRegular: true) else {
      throw PropertyListFile.refusal(file, "it is larger than \(Self.mostBytes >> 20) MiB, too large for a workspace")
    }
    let slash = path.lastIndex(of: "/")
    let folder = slash.map { String(path[..<$0]) } ?? "."
    // The folders of the groups that are open.
    var groups = [folder]
    for tag in Self.withoutComments(String(bounded: bytes)).split(separator: "<").dropFirst() {
      let isGroup = tag.hasPrefix("Group")
      if tag.hasPrefix("/Group"), groups.count > 1 { groups.removeLast() }
      guard isGroup || tag.hasPrefix("FileRef") else { continue }
      let place = Self.location(tag, in: groups.last ?? folder, of: folder)
      if isGroup {
        groups.append(place ?? groups.last ?? folder)
      } else if let place, place.hasSuffix(".xcodeproj"), projects.count + missing.count < Self.mostProjects {
        if SmallFile.isRegular(place + "/project.pbxproj") {
          projects.append(place)
        } else if !place.hasSuffix("/Pods.xcodeproj") {
          missing.append(place)
        }
      }
    }
    guard !projects.isEmpty else { throw PropertyListFile.refusal(path, "it names no Xcode project that is there") }
  }

  private static func withoutComments(_ text: String) -> String {
    let parts = text.split(separator: "<!--", omittingEmptySubsequences: false)
    let rests = parts.dropFirst().map { part in
      part.firstRange(of: "-->").map { part[$0.upperBound...] } ?? part[part.endIndex...]
    }
    return ([parts[0]] + rests).joined()
  }

  /// Text of XML with its entities as characters.
  private static func plain(_ text: Substring) -> String {
    var plain = String(text)
    for (entity, character) in [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&amp;", "&")] {
      plain = plain.replacing(entity, with: character)
    }
    return plain
  }

  /// `location = "group:App/App.xcodeproj"`
  private static func location(_ tag: Substring, in group: String, of folder: String) -> String? {
    guard let name = tag.firstRange(of: "location") else { return nil }
    let parts = tag[name.upperBound...].split(separator: "\"", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3, let colon = parts[1].firstIndex(of: ":") else { return nil }
    let relative = plain(parts[1][parts[1].index(after: colon)...])
    switch parts[1][..<colon] {
    case "absolute": return relative
    case "container": return relative.isEmpty ? folder : folder + "/" + relative
    default: return relative.isEmpty ? group : group + "/" + relative
    }
  }
}
