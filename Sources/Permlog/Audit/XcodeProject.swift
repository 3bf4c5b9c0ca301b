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
  /// What the target runs on, and whether it is an app; nil if no target is known.
  private(set) var system: AppPurposes.System?
  private(set) var isApp: Bool?
  /// Files with translations that the target has among its resources, wherever they are.
  private(set) var tables: [String] = []
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
    var projects: [ProjectFile] = []
    for path in found { projects.append(try ProjectFile(path)) }
    self.init(projects, infoPlist: infoPlist)
  }

  /// - Parameter projects: those that may have it.
  init(_ projects: [ProjectFile], infoPlist: String) {
    paths = projects.flatMap(\.filesRead)
    developmentLanguage = projects.lazy.compactMap(\.developmentLanguage).first
    find(infoPlist, in: projects)
  }

  /// A target for which Xcode makes the whole Info.plist.
  init(_ project: ProjectFile, _ target: ProjectFile.Target) {
    paths = project.filesRead
    developmentLanguage = project.developmentLanguage
    take(target)
    add(target.settings, only: nil)
    noteUnknown(of: target.settings, project)
  }

  func oldestSystem(_ system: AppPurposes.System) -> Int? {
    switch system {
    case .iOS: oldest["IPHONEOS_DEPLOYMENT_TARGET"]
    case .macOS: oldest["MACOSX_DEPLOYMENT_TARGET"]
    case .other: nil
    }
  }

  private mutating func take(_ target: ProjectFile.Target) {
    build = AppPurposes.Build(target: target.name, configuration: target.settings.kind.configuration)
    (settings, isApp, tables) = (target.settings, target.isApp, target.tables)
    let sdk = target.settings.kind.sdk
    system = sdk.hasPrefix("macosx") ? .macOS : sdk.hasPrefix("iphone") ? .iOS : .other
  }

  private mutating func find(_ infoPlist: String, in projects: [ProjectFile]) {
    var own: [(target: ProjectFile.Target, project: ProjectFile)] = []
    var isPerhapsOthers = false
    for project in projects {
      for target in project.targets {
        let file = target.settings.value("INFOPLIST_FILE")
        if let file, file.isKnown, project.isNamed(infoPlist, file.text) {
          own.append((target, project))
        } else if file.map({ !$0.isKnown }) ?? !target.settings.missing.isEmpty {
          // It may have the file: by a variable, or by a setting that is not there.
          isPerhapsOthers = true
        }
      }
    }
    // Targets that are shipped, before tests that have the same file.
    for isOf in [{ $0.isApp }, { $0.hasInfoPlist }] as [(ProjectFile.Target) -> Bool] {
      let some = own.filter { isOf($0.target) }
      if !some.isEmpty {
        own = some
        break
      }
    }
    guard let first = own.first else {
      return unknown.append(
        isPerhapsOthers
          ? "\(Self.names(projects)) does not say which target has this file"
          : "no target of \(Self.names(projects)) has this file")
    }
    take(first.target)
    let keys = own.map { Set(Self.keys($0.target.settings)) }
    let shared = keys.reduce(keys[0]) { $0.intersection($1) }
    add(first.target.settings, only: shared)
    for one in own { noteUnknown(of: one.target.settings, one.project) }
    for key in keys.reduce(shared, { $0.union($1) }).subtracting(shared).sorted() {
      note(
        "\(own.map(\.target.name).sorted().joined(separator: " and ")) have this file, but not all of them have \(key)")
    }
  }

  private static func names(_ projects: [ProjectFile]) -> String {
    projects.map { $0.path.dropLast("/project.pbxproj".count).split(separator: "/").last.map(String.init) ?? $0.path }
      .joined(separator: ", ")
  }

  private mutating func noteUnknown(of settings: BuildSettings, _ project: ProjectFile) {
    for file in settings.missing { note("\(project.short(file)) is not there, and may have more settings") }
    if let generates = settings.value("GENERATE_INFOPLIST_FILE"), !generates.isKnown {
      note("GENERATE_INFOPLIST_FILE is \(generates.text), which has no known value")
    }
  }

  private mutating func note(_ reason: String) { if !unknown.contains(reason) { unknown.append(reason) } }

  private static let prefix = "INFOPLIST_KEY_"

  /// The usage keys that Xcode adds. Without `GENERATE_INFOPLIST_FILE` it adds none, whatever the settings say.
  private static func keys(_ settings: BuildSettings) -> [String] {
    guard settings.value("GENERATE_INFOPLIST_FILE").map({ $0.isKnown && isYes($0.text) }) ?? false else { return [] }
    return settings.names(withPrefix: prefix).map { String($0.dropFirst(prefix.count)) }.filter(UsageKey.isUsageKey)
  }

  /// As Xcode reads it: by the first sign.
  private static func isYes(_ text: String) -> Bool { text.first.map { "yYtT123456789".contains($0) } ?? false }

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

/// The objects of a `project.pbxproj`, and the settings of its targets.
struct ProjectFile {
  struct Target {
    var name: String
    var isApp: Bool
    /// An app or an extension: what the system shows purpose strings of.
    var hasInfoPlist: Bool
    /// With which it is shipped.
    var settings: BuildSettings
    /// Paths of `InfoPlist.strings` and `InfoPlist.xcstrings` among its resources.
    var tables: [String]
  }

  let path: String
  private let objects: [String: PropertyList]
  private let project: PropertyList?
  /// The group that an object is in.
  private let parents: [String: String]
  private(set) var targets: [Target] = []
  /// With all `.xcconfig` files.
  private(set) var filesRead: [String]
  private var configFiles: [String: XcodeConfigFile] = [:]
  private let schemes: [XcodeScheme]

  init(_ path: String) throws(PermlogError) {
    (self.path, filesRead) = (path, [path])
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
    schemes = XcodeScheme.all(in: path.dropLast("/project.pbxproj".count) + "/xcshareddata/xcschemes")
    for id in (project?["targets"]?.list ?? []).compactMap(\.text) {
      guard let target = objects[id], let list = target["buildConfigurationList"]?.text else { continue }
      let (kind, name) = (target["productType"]?.text ?? "", target["name"]?.text ?? id)
      targets.append(
        Target(
          name: name, isApp: kind.contains(".application"),
          hasInfoPlist: kind.contains(".application") || kind.contains("extension"),
          settings: try settings(of: id, named: name, list), tables: tables(of: target)))
    }
  }

  /// A table in several languages is a group with a file for each.
  private func tables(of target: PropertyList) -> [String] {
    let phases = (target["buildPhases"]?.list ?? []).compactMap { $0.text.flatMap { objects[$0] } }
    let resources = phases.filter { $0["isa"]?.text == "PBXResourcesBuildPhase" }.flatMap { $0["files"]?.list ?? [] }
    let files = resources.compactMap { $0.text.flatMap { objects[$0]?["fileRef"]?.text } }
    let all = files.flatMap { id in [id] + (objects[id]?["children"]?.list ?? []).compactMap(\.text) }
    return all.prefix(Self.mostTables).map { filePath($0, depth: 0) }.filter {
      ($0.hasSuffix("/InfoPlist.strings") || $0.hasSuffix("/InfoPlist.xcstrings")) && SmallFile.isRegular($0)
    }
  }

  private static let mostTables = 20_000

  var developmentLanguage: String? { project?["developmentRegion"]?.text }

  /// The folder that the project is in.
  private var root: String {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false).dropLast(2)
    let folder = parts.isEmpty ? "." : parts == [""] ? "/" : parts.joined(separator: "/")
    // A project may be of files elsewhere.
    let other = project?["projectDirPath"]?.text ?? ""
    return other.isEmpty ? folder : other.hasPrefix("/") ? other : folder + "/" + other
  }

  /// The path of a file from the project's folder, for people.
  func short(_ path: String) -> String {
    path.hasPrefix(root + "/") ? String(path.dropFirst(root.count + 1)) : path
  }

  /// The path of a file that is named in the project's folder.
  func inside(_ name: String) -> String {
    // `$(SRCROOT)/App/Info.plist`: people know the file by the path on which they named the project.
    let whole = WholeFile.resolved(root) + "/"
    if name.hasPrefix(whole), !root.hasPrefix("/") { return inside(String(name.dropFirst(whole.count))) }
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
  private func shipped(_ target: String, named name: String, _ list: String) -> String {
    let names = configurations(list).map(\.name)
    // Schemes of extensions archive the app too, and its own scheme is called like it.
    let own = schemes.first { $0.archived.contains(target) && $0.name == name }?.configuration
    if let own, names.contains(own) { return own }
    let archived = schemes.filter { $0.archived.contains(target) }.compactMap(\.configuration).filter(names.contains)
    if !archived.isEmpty { return archived.contains("Release") ? "Release" : archived[0] }
    if names.contains("Release") { return "Release" }
    let usual = [list, project?["buildConfigurationList"]?.text ?? ""].compactMap {
      objects[$0]?["defaultConfigurationName"]?.text
    }
    return usual.first(where: names.contains) ?? names.first ?? "Release"
  }

  /// The settings with which a target is shipped.
  private mutating func settings(of id: String, named name: String, _ list: String) throws(PermlogError)
    -> BuildSettings
  {
    let configuration = shipped(id, named: name, list)
    var levels: [SettingsLevel] = []
    for level in [project?["buildConfigurationList"]?.text, list] {
      let all = configurations(level)
      let usual = level.flatMap { objects[$0]?["defaultConfigurationName"]?.text }
      // If the project lacks the target's configuration, Xcode takes its usual one.
      guard
        let object = (all.first { $0.name == configuration } ?? all.first { $0.name == usual } ?? all.first)?.object
      else { continue }
      if let file = baseFile(of: object) {
        let config = if let known = configFiles[file] { known } else { try XcodeConfigFile(file) }
        configFiles[file] = config
        for path in config.files where !filesRead.contains(path) { filesRead.append(path) }
        levels.append(SettingsLevel(settings: config.settings, file: file, missing: config.missing))
      }
      let own = object["buildSettings"]?.dictionary ?? [:]
      let settings = own.sorted { $0.key < $1.key }.compactMap { key, value in
        (value.text ?? value.list.map { $0.compactMap(\.text).joined(separator: " ") }).map {
          BuildSetting(key: key, value: $0)
        }
      }
      levels.append(SettingsLevel(settings: settings, file: path))
    }
    let root = WholeFile.resolved(root)
    let projectName = path.dropLast("/project.pbxproj".count).split(separator: "/").last?.dropLast(".xcodeproj".count)
    let builtIn = [
      "SRCROOT": root, "PROJECT_DIR": root, "SOURCE_ROOT": root, "CONFIGURATION": configuration, "TARGET_NAME": name,
      "TARGETNAME": name, "PROJECT_NAME": String(projectName ?? ""),
    ]
    var kind = BuildKind(configuration: configuration, sdk: "iphoneos")
    let first = BuildSettings(kind: kind, levels: levels, builtIn: builtIn)
    if let sdk = first.value("SDKROOT"), sdk.isKnown, !sdk.text.isEmpty {
      kind.sdk = sdk.text == "auto" ? Self.sdk(first.value("SUPPORTED_PLATFORMS")?.text) : sdk.text
    }
    return BuildSettings(kind: kind, levels: levels, builtIn: builtIn)
  }

  /// Of an app for several platforms, the one for iOS if there is one.
  private static func sdk(_ platforms: String?) -> String {
    let names = (platforms ?? "").split(separator: " ").map(String.init)
    return names.isEmpty || names.contains("iphoneos") ? "iphoneos" : names[0]
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

struct XcodeScheme {
  private(set) var name = ""
  /// The ids of the targets that it builds for an archive.
  private(set) var archived: Set<String> = []
  /// In which it archives.
  private(set) var configuration: String?

  private static let mostBytes = 1 << 20
  private static let mostSchemes = 200

  /// The schemes of a folder, in the order of their names.
  static func all(in folder: String) -> [XcodeScheme] {
    ((try? PlistFolder.names(in: folder)) ?? []).filter { $0.hasSuffix(".xcscheme") }.prefix(mostSchemes).compactMap {
      let bytes = try? SmallFile.read(folder + "/" + $0, limit: mostBytes, argument: .infoPlist, isRegular: true)
      var scheme = bytes.map { XcodeScheme(String(bounded: $0)) }
      scheme?.name = String($0.dropLast(".xcscheme".count))
      return scheme
    }
  }

  init(_ text: String) {
    for entry in text.split(separator: "<BuildActionEntry").dropFirst() {
      guard Self.attribute("buildForArchiving", in: entry) == "YES" else { continue }
      if let id = Self.attribute("BlueprintIdentifier", in: entry) { archived.insert(id) }
    }
    configuration = text.firstRange(of: "<ArchiveAction").flatMap {
      Self.attribute("buildConfiguration", in: text[$0.upperBound...])
    }
  }

  private static func attribute(_ name: String, in text: Substring) -> String? {
    guard let found = text.firstRange(of: name) else { return nil }
    let parts = text[found.upperBound...].split(separator: "\"", maxSplits: 2, omittingEmptySubsequences: false)
    return parts.count == 3 && parts[0].allSatisfy { $0.isWhitespace || $0 == "=" } ? String(parts[1]) : nil
  }
}
