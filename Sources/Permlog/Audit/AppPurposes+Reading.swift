// An app's Info.plist, with what lies beside it, as what an audit looks at. All of it is from files that nobody has checked.

import EventLog
public import PermissionAnalysis
import PropertyLists

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

extension AppPurposes {
  /// Reads an Info.plist: XML, binary or old-style, of a built app or of a project's source; or the one of a folder like `App.app`.
  /// With it go the translations in the folder, and keys that an Xcode project keeps in its build settings.
  /// - Throws: `notFound` or `inputOutput` if a file cannot be read; `usage` if the path is of something else; `dataRefused` if a file
  ///   is damaged, or the keys may be where they cannot be read.
  public init(infoPlist path: String) throws(PermlogError) {
    let path = try Self.infoPlist(path)
    let content = try PropertyListFile.dictionary(path)
    let folder = PlistFolder(of: path)
    self.init(file: path)
    filesRead = [path]
    let project = Self.isBuilt(content) ? nil : try XcodeProject(beside: folder, infoPlist: path)
    try read(content, project)
    guard Self.isBuilt(content) || content["CFBundleIdentifier"] != nil || project != nil else {
      throw PermlogError(
        .dataRefused,
        "\(path): it has no CFBundleIdentifier. Xcode adds keys to such a file when it builds the app, and usage sentences may "
          + "be among them. Give the Info.plist of the built app, as in App.app.", argument: .infoPlist)
    }
    try readTranslations(folder, content, project)
  }

  /// Reads the Info.plists of an app and its extensions, each file once, however it is named.
  package static func all(_ paths: [String]) throws(PermlogError) -> [AppPurposes] {
    var apps: [AppPurposes] = []
    for path in paths {
      let app = try AppPurposes(infoPlist: path)
      let isThere = apps.contains { WholeFile.resolved($0.file) == WholeFile.resolved(app.file) }
      if !isThere { apps.append(app) }
    }
    return apps
  }

  /// The path of the file itself.
  private static func infoPlist(_ path: String) throws(PermlogError) -> String {
    guard path != "-" else {
      throw PermlogError(
        .usage, "standard input is no Info.plist: its translations lie beside it. Name a file.", argument: .infoPlist)
    }
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { return path }
    let inside = ["/Info.plist", "/Contents/Info.plist"].map {
      (path.hasSuffix("/") ? String(path.dropLast()) : path) + $0
    }
    guard let found = inside.first(where: { stat($0, &status) == 0 }) else {
      throw PermlogError(
        .notFound, "\(path): this folder has no Info.plist. Name the file, or a built app like App.app.",
        argument: .infoPlist)
    }
    return found
  }

  /// What Xcode writes when it builds.
  private static func isBuilt(_ content: [String: PropertyList]) -> Bool {
    ["DTSDKName", "DTPlatformName", "DTXcode"].contains { content[$0] != nil }
  }

  private mutating func read(_ content: [String: PropertyList], _ project: XcodeProject?) throws(PermlogError) {
    sentences = Self.sentences(of: content, in: file)
    for (key, sentence) in project?.sentences ?? [:] where sentences[key] == nil { sentences[key] = sentence }
    hasUnreadSettings = project?.hasUnreadSettings ?? false
    filesRead += project?.paths ?? []
    backgroundModes = try PropertyListFile.texts("UIBackgroundModes", in: content, file)
    hasBonjourServices = try !PropertyListFile.texts("NSBonjourServices", in: content, file).isEmpty
    let package = content["CFBundlePackageType"]?.text ?? "APPL"
    isExtension =
      content["NSExtension"] != nil || content["EXAppExtensionAttributes"] != nil
      || package != "APPL" && !package.contains("$")
    system = Self.system(content)
    let version = system == .macOS ? "LSMinimumSystemVersion" : "MinimumOSVersion"
    oldestSystem = content[version]?.text.flatMap(Self.major) ?? project?.oldestSystem(system)
  }

  /// The usage sentences of a dictionary. A key for some devices alone counts if there is none for all.
  static func sentences(of content: [String: PropertyList], in file: String) -> [String: Sentence] {
    var sentences: [String: Sentence] = [:]
    for (key, value) in content where UsageKey.isUsageKey(key) { sentences[key] = Sentence(value.text, in: file) }
    let keys = content.keys.map { (name: $0, whole: UsageKey.withoutDevice($0)) }
    for key in keys.filter({ $0.name != $0.whole && UsageKey.isUsageKey($0.whole) }).sorted(by: { $0.name < $1.name })
    where sentences[key.whole] == nil {
      sentences[key.whole] = Sentence(content[key.name]?.text, in: file)
    }
    return sentences
  }

  private static func system(_ content: [String: PropertyList]) -> System {
    let platform = content["DTPlatformName"]?.text ?? content["CFBundleSupportedPlatforms"]?.list?.first?.text
    switch platform?.lowercased() {
    case "iphoneos", "iphonesimulator": return .iOS
    case "macosx": return .macOS
    case nil: break
    default: return .other
    }
    if content["WKApplication"] != nil || content["WKWatchKitApp"] != nil { return .other }
    let isMac = content["LSMinimumSystemVersion"] != nil || content["NSPrincipalClass"]?.text == "NSApplication"
    return isMac ? .macOS : .iOS
  }

  /// The first number of a version; nil for a variable.
  static func major(_ version: String) -> Int? { Int(version.prefix { $0 != "." }) }
}
