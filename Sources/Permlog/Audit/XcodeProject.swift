// Keys in a project's build settings, from which Xcode makes the Info.plist of the built app.

import EventImport
import EventLog
import PermissionAnalysis
import PropertyLists
import SystemCalls

/// The facts about an Info.plist in the projects near it.
struct XcodeProject {
  private(set) var sentences: [String: AppPurposes.Sentence] = [:]
  private(set) var developmentLanguage: String?
  private(set) var paths: [String] = []
  /// Whether `.xcconfig` files have more settings for the Info.plist.
  private(set) var hasUnreadSettings = false
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
      throw PropertyListFile.refusal(path, "it is not an Xcode project: it has no objects")
    }
    // In the order of their names, so that the result does not depend on a dictionary's order in memory.
    let ordered = objects.sorted { $0.key < $1.key }.map(\.value)
    for object in ordered where object["isa"]?.text == "PBXProject" {
      developmentLanguage = developmentLanguage ?? object["developmentRegion"]?.text
    }
    let settings = ordered.filter { $0["isa"]?.text == "XCBuildConfiguration" }.compactMap(BuildSettings.init)
    let root = path.dropLast("/project.pbxproj".count) + "/.."
    let own = settings.filter { setting in
      setting.values("INFOPLIST_FILE").contains { Self.isNamed(infoPlist, $0.text, root: String(root)) }
    }
    // Settings without a target hold for all targets. If no target with the file is found, any of them may be the right
    // one.
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

// MARK: One build configuration of an Xcode project

/// Settings by their names, without the condition that a name may end with: `NAME[sdk=iphoneos*]` is a value of `NAME`.
struct BuildSettings {
  /// Of a name: the value without a condition first, then the others in the order of their conditions.
  private var byName: [String: [PropertyList]] = [:]
  let hasFile: Bool

  /// - Returns: nil if it is not an object.
  init?(_ object: PropertyList) {
    guard let pairs = object.dictionary else { return nil }
    let settings = pairs["buildSettings"]?.dictionary ?? [:]
    // Xcode 16 names a file in a folder by two other keys, which begin with the same words.
    hasFile = pairs.keys.contains { $0.hasPrefix("baseConfigurationReference") }
    for (name, value) in settings.sorted(by: { $0.key < $1.key }) {
      byName[String(name.prefix { $0 != "[" }), default: []].append(value)
    }
  }

  var names: [String] { byName.keys.sorted() }

  func values(_ name: String) -> [PropertyList] { byName[name] ?? [] }
}

// MARK: Files next to an Info.plist: folders of languages, and tables of translations

struct PlistFolder {
  let path: String
  /// Names of tables of translations, the usual one first. If two targets share a folder, their tables have prefixes,
  /// as in `Share-Info.plist` and `Share-InfoPlist.strings`.
  private let tables: [String]

  init(of infoPlist: String) {
    let slash = infoPlist.lastIndex(of: "/")
    path = slash.map { $0 == infoPlist.startIndex ? "/" : String(infoPlist[..<$0]) } ?? "."
    let name = slash.map { infoPlist[$0...].dropFirst() } ?? infoPlist[...]
    tables =
      ["InfoPlist"]
      + (name.hasSuffix("Info.plist") ? [name.dropLast(10) + "InfoPlist"] : [])
      .filter { $0 != "InfoPlist" }
  }

  struct Language {
    /// For example `de` or `pt-BR`; `Base` for texts without a language.
    let name: String
    let tables: [String]
  }

  /// Folders like `de.lproj` that are not empty, here and in `Resources`, in order.
  func languages() throws(PermlogError) -> [Language] {
    var found: [Language] = []
    for folder in [path, path + "/Resources"] {
      for name in try Self.names(in: folder) where name.hasSuffix(".lproj") {
        let subfolder = folder + "/" + name
        let inside = try Self.names(in: subfolder)
        let language = Self.language(String(name.dropLast(6)))
        // `mul` holds catalogs of all languages.
        if inside.isEmpty || language == "mul" { continue }
        found.append(
          Language(
            name: language,
            tables: tables.map { $0 + ".strings" }.filter(inside.contains).map { subfolder + "/" + $0 }))
      }
    }
    return found
  }

  func catalogs() throws(PermlogError) -> [String] {
    var found: [String] = []
    for folder in [path, path + "/Resources"] {
      let names = try Self.names(in: folder)
      found += tables.map { $0 + ".xcstrings" }.filter(names.contains).map { folder + "/" + $0 }
    }
    return found
  }

  /// Names in a folder, in order; empty if it is not a folder.
  static func names(in folder: String) throws(PermlogError) -> [String] {
    var status = stat()
    guard stat(folder, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { return [] }
    do { return try SystemFileSystem().list(folder).sorted() } catch { throw PermlogError(error) }
  }

  /// The name of a language as Apple writes it now: `de` for `German`, `pt-BR` for `pt_BR`.
  static func language(_ name: String) -> String {
    let old = [
      "English": "en", "German": "de", "French": "fr", "Spanish": "es", "Italian": "it", "Japanese": "ja",
      "Dutch": "nl",
    ]
    return old[name] ?? name.replacing("_", with: "-")
  }
}

// MARK: Small files of an app: read whole, regular files only; every error has the file and what to do

enum PropertyListFile {
  /// The largest Info.plists and translations of public apps have less than 1 MiB.
  static let mostBytes = 4 << 20
  /// For an Xcode project, which describes every file of an app.
  static let mostBytesOfProject = 64 << 20

  static func dictionary(_ path: String, mostBytes: Int = mostBytes) throws(PermlogError) -> [String: PropertyList] {
    let list: PropertyList
    do { list = try PropertyList(try bytes(path, mostBytes: mostBytes)) } catch let error as PropertyListError {
      throw refusal(path, error.sentence)
    } catch { throw PermlogError(error) }
    guard let pairs = list.dictionary else { throw refusal(path, "it is a property list without keys") }
    return pairs
  }

  static func object(_ path: String) throws(PermlogError) -> JSONTree {
    guard let tree = JSONTree(document: try bytes(path, mostBytes: mostBytes)) else {
      throw refusal(path, "it is not an object of valid JSON")
    }
    return tree
  }

  /// The texts of a list under a key; empty if the key is missing.
  static func texts(_ key: String, in pairs: [String: PropertyList], _ path: String) throws(PermlogError) -> [String] {
    guard let value = pairs[key] else { return [] }
    let items = value.list ?? []
    let texts = items.compactMap(\.text)
    guard value.list != nil, texts.count == items.count else { throw refusal(path, "\(key) is not a list of texts") }
    return texts
  }

  static func refusal(_ path: String, _ problem: String) -> PermlogError {
    PermlogError(.dataRefused, "\(path): \(problem). Correct the file, or name another.", argument: .infoPlist)
  }

  private static func bytes(_ path: String, mostBytes: Int) throws(PermlogError) -> [UInt8] {
    guard let bytes = try SmallFile.read(path, limit: mostBytes, argument: .infoPlist, isRegular: true) else {
      throw PermlogError(
        .dataRefused, "\(path): it is larger than \(mostBytes >> 20) MiB, too large for such a file. Name another.",
        argument: .infoPlist)
    }
    return bytes
  }
}
