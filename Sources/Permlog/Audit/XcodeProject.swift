// Keys that a project keeps in its build settings, from which Xcode makes the Info.plist of the built app.

import PermissionAnalysis
import PropertyLists

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// What the projects near an Info.plist say of it.
struct XcodeProject {
  private(set) var sentences: [String: AppPurposes.Sentence] = [:]
  private(set) var developmentLanguage: String?
  /// Paths of the projects.
  private(set) var paths: [String] = []
  /// Settings that count for the Info.plist are in `.xcconfig` files, too.
  private(set) var hasUnreadSettings = false
  /// The oldest version of a system that is built for, by the name of the setting.
  private var oldest: [String: Int] = [:]

  /// Reads the projects in an Info.plist's folder, and in the two around it.
  /// - Returns: nil if there is none.
  init?(beside folder: PlistFolder, infoPlist: String) throws(PermlogError) {
    var found: [String] = []
    for place in [folder.path, folder.path + "/..", folder.path + "/../.."] where found.isEmpty {
      // A folder around it that cannot be looked into has no project that could be read.
      for name in (try? PlistFolder.names(in: place)) ?? [] where name.hasSuffix(".xcodeproj") {
        let path = place + "/" + name + "/project.pbxproj"
        if access(path, F_OK) == 0 { found.append(path) }
      }
    }
    if found.isEmpty { return nil }
    paths = found
    for path in found { try read(path, infoPlist) }
  }

  func oldestSystem(_ system: AppPurposes.System) -> Int? {
    switch system {
    case .iOS: oldest["IPHONEOS_DEPLOYMENT_TARGET"]
    case .macOS: oldest["MACOSX_DEPLOYMENT_TARGET"]
    case .other: nil
    }
  }

  private mutating func read(_ path: String, _ infoPlist: String) throws(PermlogError) {
    let content = try PropertyListFile.dictionary(path, mostBytes: PropertyListFile.mostBytesOfProject)
    guard let objects = content["objects"]?.dictionary else {
      throw PropertyListFile.refusal(path, "it is no Xcode project: it has no objects")
    }
    // In the order of their names: what is read does not depend on how a dictionary lies in memory.
    let ordered = objects.sorted { $0.key < $1.key }.map(\.value)
    for object in ordered where object["isa"]?.text == "PBXProject" {
      developmentLanguage = developmentLanguage ?? object["developmentRegion"]?.text
    }
    let settings = ordered.filter { $0["isa"]?.text == "XCBuildConfiguration" }.compactMap(BuildSettings.init)
    let root = path.dropLast("/project.pbxproj".count) + "/.."
    let own = settings.filter { setting in
      setting.values("INFOPLIST_FILE").contains { Self.isNamed(infoPlist, $0.text, root: String(root)) }
    }
    // Those of no target hold for all. If no target is found that has the file, any may be the one.
    let shared = settings.filter {
      $0.values("INFOPLIST_FILE").isEmpty && $0.values("PRODUCT_BUNDLE_IDENTIFIER").isEmpty
    }
    for setting in own.isEmpty ? settings : own + shared { add(setting, path) }
  }

  private mutating func add(_ setting: BuildSettings, _ path: String) {
    if setting.hasFile { hasUnreadSettings = true }
    let prefix = "INFOPLIST_KEY_"
    for name in setting.names where name.hasPrefix(prefix) {
      let key = String(name.dropFirst(prefix.count))
      guard UsageKey.isUsageKey(key), sentences[key] == nil, let value = setting.values(name).first else { continue }
      sentences[key] = AppPurposes.Sentence(value.text, in: path)
    }
    for name in ["IPHONEOS_DEPLOYMENT_TARGET", "MACOSX_DEPLOYMENT_TARGET"] {
      for version in setting.values(name).compactMap({ $0.text.flatMap(AppPurposes.major) }) {
        oldest[name] = min(oldest[name] ?? version, version)
      }
    }
  }

  /// Whether a target names the file as its Info.plist.
  private static func isNamed(_ infoPlist: String, _ value: String?, root: String) -> Bool {
    guard var value else { return false }
    for variable in ["$(SRCROOT)/", "${SRCROOT}/", "$(PROJECT_DIR)/", "${PROJECT_DIR}/"] where value.hasPrefix(variable)
    {
      value.removeFirst(variable.count)
    }
    guard !value.contains("$") else { return false }
    return WholeFile.resolved(value.hasPrefix("/") ? value : root + "/" + value) == WholeFile.resolved(infoPlist)
  }
}
