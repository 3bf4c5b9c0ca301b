// What an Xcode project says of an Info.plist: which target has it, and the keys that Xcode adds to it when it builds the app that is
// shipped.

import EventLog
import PermissionAnalysis
import PropertyLists
import SystemCalls

/// The facts about an Info.plist in the projects near it.
struct XcodeProject {
  private(set) var sentences: [String: AppPurposes.Sentence] = [:]
  private(set) var developmentLanguage: String?
  private(set) var paths: [String] = []
  /// What Xcode builds from the file; nil if no target names it.
  private(set) var build: AppPurposes.Build?
  /// Why more keys may be there than are known. Empty if all are known.
  private(set) var unknown: [String] = []
  /// Settings of the target that has the file.
  private(set) var settings: BuildSettings?
  /// The oldest supported version of a system, by the name of the setting.
  private var oldest: [String: Int] = [:]

  /// Reads the projects in an Info.plist's folder, and in the two folders around it.
  /// - Returns: nil if there are no projects.
  init?(beside folder: PlistFolder, infoPlist: String) throws(PermlogError) {
    var found: [String] = []
    for directory in [folder.path, folder.path + "/..", folder.path + "/../.."] where found.isEmpty {
      // A parent folder that cannot be listed has no readable project.
      for name in (try? PlistFolder.names(in: directory)) ?? [] where name.hasSuffix(".xcodeproj") {
        let path = directory + "/" + name + "/project.pbxproj"
        if access(path, F_OK) == 0 { found.append(path) }
      }
    }
    if found.isEmpty { return nil }
    try self.init(found, infoPlist: infoPlist)
  }

  /// - Parameter paths: of the files of projects.
  init(_ paths: [String], infoPlist: String) throws(PermlogError) {
    self.paths = paths
    var projects: [ProjectFile] = []
    for path in paths { projects.append(try ProjectFile(path)) }
    developmentLanguage = projects.lazy.compactMap(\.developmentLanguage).first
    try find(infoPlist, in: projects)
  }

  /// A target for which Xcode makes the whole Info.plist.
  init(_ project: ProjectFile, _ target: ProjectFile.Target, _ settings: BuildSettings, paths: [String]) {
    (self.paths, self.settings) = (paths, settings)
    developmentLanguage = project.developmentLanguage
    build = AppPurposes.Build(target: target.name, configuration: settings.kind.configuration)
    add(settings, only: nil)
    for file in settings.missing { note(Self.absence(of: project.short(file))) }
  }

  /// Why a file that is not there matters.
  static func absence(of file: String) -> String { "\(file) is not there, and may have more settings" }

  func oldestSystem(_ system: AppPurposes.System) -> Int? {
    switch system {
    case .iOS: oldest["IPHONEOS_DEPLOYMENT_TARGET"]
    case .macOS: oldest["MACOSX_DEPLOYMENT_TARGET"]
    case .other: nil
    }
  }

  private mutating func find(_ infoPlist: String, in projects: [ProjectFile]) throws(PermlogError) {
    var own: [(target: ProjectFile.Target, settings: BuildSettings, project: ProjectFile)] = []
    var others: [(target: ProjectFile.Target, settings: BuildSettings)] = []
    for project in projects {
      for target in project.targets {
        let settings = try project.settings(of: target, readFiles: &paths)
        let file = settings.value("INFOPLIST_FILE")
        if let file, file.isKnown, project.isNamed(infoPlist, file.text) {
          own.append((target, settings, project))
        } else if file.map({ !$0.isKnown }) ?? !settings.missing.isEmpty {
          // It may have the file: by a variable, or by a setting that is not there.
          others.append((target, settings))
        }
      }
    }
    // Two targets that share a file are one app with two names more often than an app and its extension.
    own.sort { $0.target.isApp && !$1.target.isApp }
    guard let first = own.first else {
      unknown.append(
        others.isEmpty
          ? "no target of \(Self.names(projects)) has this file"
          : "\(Self.names(projects)) does not say which target has this file")
      for one in others { add(one.settings, only: nil) }
      return
    }
    build = AppPurposes.Build(target: first.target.name, configuration: first.settings.kind.configuration)
    settings = first.settings
    // A key counts if every target with the file has it.
    let shared = own.map { Set(Self.keys($0.settings)) }.reduce(Set(Self.keys(first.settings))) { $0.intersection($1) }
    add(first.settings, only: shared)
    for one in own {
      for file in one.settings.missing { note(Self.absence(of: one.project.short(file))) }
    }
  }

  private static func names(_ projects: [ProjectFile]) -> String {
    projects.map { $0.path.dropLast("/project.pbxproj".count).split(separator: "/").last.map(String.init) ?? $0.path }
      .joined(separator: ", ")
  }

  private mutating func note(_ reason: String) { if !unknown.contains(reason) { unknown.append(reason) } }

  private static let prefix = "INFOPLIST_KEY_"

  /// The usage keys that Xcode adds. Without `GENERATE_INFOPLIST_FILE` it adds none, whatever the settings say.
  private static func keys(_ settings: BuildSettings) -> [String] {
    guard settings.value("GENERATE_INFOPLIST_FILE").map({ !$0.isKnown || isYes($0.text) }) ?? false else { return [] }
    return settings.names(withPrefix: prefix).map { String($0.dropFirst(prefix.count)) }.filter(UsageKey.isUsageKey)
  }

  private static func isYes(_ text: String) -> Bool { ["YES", "TRUE", "1"].contains(text.uppercased()) }

  private mutating func add(_ settings: BuildSettings, only: Set<String>?) {
    for key in Self.keys(settings) where only?.contains(key) ?? true {
      guard sentences[key] == nil, let value = settings.value(Self.prefix + key) else { continue }
      sentences[key] = AppPurposes.Sentence(value.text, in: value.file)
    }
    for name in ["IPHONEOS_DEPLOYMENT_TARGET", "MACOSX_DEPLOYMENT_TARGET"] {
      guard let version = settings.value(name).flatMap({ AppPurposes.major($0.text) }) else { continue }
      oldest[name] = min(oldest[name] ?? version, version)
    }
  }
}

// MARK: The file of a project

/// The objects of a `project.pbxproj`.
struct ProjectFile {
  struct Target {
    var id: String
    var name: String
    var isApp: Bool
    /// An app or an extension: what the system shows purpose strings of.
    var hasInfoPlist: Bool
    fileprivate var configurations: String
  }

  let path: String
  private let objects: [String: PropertyList]
  private let project: PropertyList?
  /// The group that an object is in.
  private let parents: [String: String]
  private(set) var targets: [Target] = []

  init(_ path: String) throws(PermlogError) {
    self.path = path
    let content = try PropertyListFile.dictionary(path, mostBytes: PropertyListFile.mostBytesOfProject)
    guard let objects = content["objects"]?.dictionary else {
      throw PropertyListFile.refusal(path, "it is not an Xcode project: it has no objects")
    }
    self.objects = objects
    project =
      content["rootObject"]?.text.flatMap { objects[$0] } ?? objects.values.first { $0["isa"]?.text == "PBXProject" }
    var parents: [String: String] = [:]
    for (id, object) in objects {
      for child in object["children"]?.list ?? [] { if let child = child.text { parents[child] = id } }
    }
    self.parents = parents
    targets = (project?["targets"]?.list ?? []).compactMap(\.text).compactMap { id in
      guard let target = objects[id], let list = target["buildConfigurationList"]?.text else { return nil }
      let kind = target["productType"]?.text ?? ""
      return Target(
        id: id, name: target["name"]?.text ?? id, isApp: kind.contains(".application"),
        hasInfoPlist: kind.contains(".application") || kind.contains("extension"), configurations: list)
    }
  }

  var developmentLanguage: String? { project?["developmentRegion"]?.text }

  /// The folder that the project is in.
  private var root: String {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false).dropLast(2)
    return parts.isEmpty ? "." : parts == [""] ? "/" : parts.joined(separator: "/")
  }

  /// The path of a file from the project's folder, for people.
  func short(_ path: String) -> String {
    path.hasPrefix(root + "/") ? String(path.dropFirst(root.count + 1)) : path
  }

  /// The path of a file that is named in the project's folder.
  func inside(_ name: String) -> String {
    if name.hasPrefix("/") { return name }
    return root == "." ? name : root == "/" ? "/" + name : root + "/" + name
  }

  func isNamed(_ infoPlist: String, _ value: String) -> Bool {
    !value.isEmpty && WholeFile.resolved(inside(value)) == WholeFile.resolved(infoPlist)
  }

  // MARK: Configurations

  private func configurations(_ list: String?) -> [(name: String, object: PropertyList)] {
    (list.flatMap { objects[$0]?["buildConfigurations"]?.list } ?? []).compactMap { id in
      guard let object = id.text.flatMap({ objects[$0] }), let name = object["name"]?.text else { return nil }
      return (name, object)
    }
  }

  /// The configuration that is shipped: a shared scheme names it for the archive, else it is called Release.
  private func shipped(_ target: Target) -> String {
    let names = configurations(target.configurations).map(\.name)
    let archived = XcodeScheme.archived(
      target.id, in: path.dropLast("/project.pbxproj".count) + "/xcshareddata/xcschemes"
    )
    .filter(names.contains)
    if !archived.isEmpty { return archived.contains("Release") ? "Release" : archived[0] }
    if names.contains("Release") { return "Release" }
    let usual = objects[target.configurations]?["defaultConfigurationName"]?.text
    return usual.flatMap { names.contains($0) ? $0 : nil } ?? names.first ?? "Release"
  }

  /// The settings with which a target is shipped.
  func settings(of target: Target, readFiles: inout [String]) throws(PermlogError) -> BuildSettings {
    let configuration = shipped(target)
    var levels: [SettingsLevel] = []
    for list in [project?["buildConfigurationList"]?.text, target.configurations] {
      guard let object = configurations(list).first(where: { $0.name == configuration })?.object else { continue }
      if let file = baseFile(of: object) {
        let config = try XcodeConfigFile(file)
        for path in config.files where !readFiles.contains(path) { readFiles.append(path) }
        levels.append(SettingsLevel(settings: config.settings, file: file, missing: config.missing.files))
      }
      let own = object["buildSettings"]?.dictionary ?? [:]
      let settings = own.sorted { $0.key < $1.key }.compactMap { key, value in
        value.text.map { BuildSetting(key: key, value: $0) }
      }
      levels.append(SettingsLevel(settings: settings, file: path))
    }
    let root = WholeFile.resolved(root)
    let builtIn = [
      "SRCROOT": root, "PROJECT_DIR": root, "SOURCE_ROOT": root, "CONFIGURATION": configuration,
      "TARGET_NAME": target.name,
      "TARGETNAME": target.name, "TARGET_NAME_": target.name,
    ]
    var kind = BuildKind(configuration: configuration, sdk: "iphoneos")
    let first = BuildSettings(kind: kind, levels: levels, builtIn: builtIn)
    if let sdk = first.value("SDKROOT"), sdk.isKnown, sdk.text != "auto", !sdk.text.isEmpty { kind.sdk = sdk.text }
    return BuildSettings(kind: kind, levels: levels, builtIn: builtIn)
  }

  /// The path of the `.xcconfig` file under a configuration.
  private func baseFile(of configuration: PropertyList) -> String? {
    if let id = configuration["baseConfigurationReference"]?.text { return filePath(id, depth: 0) }
    // Since Xcode 16: a file in a folder that the project has as a whole.
    guard let anchor = configuration["baseConfigurationReferenceAnchor"]?.text,
      let relative = configuration["baseConfigurationReferenceRelativePath"]?.text
    else { return nil }
    return filePath(anchor, depth: 0) + "/" + relative
  }

  private static let mostDepth = 64

  /// Where a file or a group is.
  private func filePath(_ id: String, depth: Int) -> String {
    let object = objects[id]
    let own = object?["path"]?.text ?? ""
    switch object?["sourceTree"]?.text {
    case "<absolute>": return own
    case "SOURCE_ROOT": return inside(own)
    default:
      guard depth < Self.mostDepth, let parent = parents[id] else { return own.isEmpty ? root : inside(own) }
      let outer = filePath(parent, depth: depth + 1)
      return own.isEmpty ? outer : outer + "/" + own
    }
  }
}

// MARK: Schemes: which configuration is archived

enum XcodeScheme {
  private static let mostBytes = 1 << 20
  private static let mostSchemes = 200

  /// The configurations in which schemes archive a target, in the order of the schemes' names.
  static func archived(_ target: String, in folder: String) -> [String] {
    var found: [String] = []
    for name in ((try? PlistFolder.names(in: folder)) ?? []).prefix(mostSchemes) where name.hasSuffix(".xcscheme") {
      guard
        let bytes = try? SmallFile.read(
          folder + "/" + name, limit: mostBytes, argument: .infoPlist, isRegular: true)
      else { continue }
      let text = String(bounded: bytes)
      guard builds(target, text), let action = text.firstRange(of: "<ArchiveAction"),
        let configuration = attribute("buildConfiguration", in: text[action.upperBound...]),
        !found.contains(configuration)
      else { continue }
      found.append(configuration)
    }
    return found
  }

  /// Whether a target is built for the archive.
  private static func builds(_ target: String, _ text: String) -> Bool {
    text.split(separator: "<BuildActionEntry").dropFirst().contains { entry in
      attribute("buildForArchiving", in: entry) == "YES" && attribute("BlueprintIdentifier", in: entry) == target
    }
  }

  private static func attribute(_ name: String, in text: Substring) -> String? {
    guard let found = text.firstRange(of: name) else { return nil }
    let parts = text[found.upperBound...].split(separator: "\"", maxSplits: 2, omittingEmptySubsequences: false)
    return parts.count == 3 && parts[0].allSatisfy { $0.isWhitespace || $0 == "=" } ? String(parts[1]) : nil
  }
}
