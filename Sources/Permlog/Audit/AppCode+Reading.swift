// Reads the files of an app's code for an audit, and finds the calls that ask.

import EventLog
import PermissionAnalysis
import SourceCode
import SystemCalls
import Threads

extension AppCode {
  /// Reads folders with the app's code, and single files. Each file is read once.
  /// - Parameter apps: what the code is of; lines for other systems are left out.
  /// - Throws: `notFound` or `inputOutput` if something cannot be read; `dataRefused` if there is no code.
  init(_ paths: [String], _ apps: [AppPurposes]) throws(PermlogError) {
    self.init(folders: paths)
    recognised = Set(AskingSymbol.all.flatMap(\.allPermissions))
    var found = SourceFiles()
    for path in paths { try found.add(path) }
    guard !found.files.isEmpty else {
      throw PermlogError(
        .dataRefused, "\(LongNames.list(paths)): there is no Swift or Objective-C. Name the folder of the app's code.",
        argument: .sourceCode)
    }
    leftOut = found.leftOut
    let systems = Self.systems(apps)
    let files = found.files
    let results = Mutex<[Int: Result<FileOfCode?, PermlogError>]>([:])
    let tasks = Workers.Tasks(count: files.count)
    Workers.run(threads: min(PermissionLog.threads(nil), files.count)) { _ in
      while let index = tasks.claim() {
        let result = Result { () throws(PermlogError) in try Self.calls(of: files[index], systems) }
        results.withLock { $0[index] = result }
      }
    }
    self.paths = files
    for (index, file) in files.enumerated() {
      guard let result = results.withLock({ $0[index] }) else { continue }
      guard let found = try result.get() else {
        unread.append(file)
        continue
      }
      self.files += 1
      calls += found.calls
      uses += found.uses
      mentioned.formUnion(found.mentioned)
    }
  }

  private struct FileOfCode {
    var calls: [Call]
    var uses: [Call]
    var mentioned: Set<String>
  }

  /// - Returns: nil if the file is too large for code that people write, or if a text in it has no end.
  private static func calls(of file: String, _ systems: Set<SourceSystem>) throws(PermlogError) -> FileOfCode? {
    guard let language = SourceLanguage(fileName: file),
      let bytes = try SmallFile.read(file, limit: SourceFiles.mostBytes, argument: .sourceCode, isRegular: true)
    else { return nil }
    // The header of an Objective-C file has its imports.
    var imports: Set<String> = []
    if language == .objectiveC, let dot = file.lastIndex(of: "."), file[dot...] != ".h" {
      let header = try? SmallFile.read(
        file[..<dot] + ".h", limit: SourceFiles.mostBytes, argument: .sourceCode, isRegular: true)
      if let header { imports = AskingCalls(header, .objectiveC, systems: systems).imports }
    }
    let found = AskingCalls(bytes, language, systems: systems, imports: imports)
    guard found.isWhole else { return nil }
    func named(_ call: AskingCall) -> Call {
      Call(call.symbol, in: file, line: call.line, call.permissions, isConditional: call.isConditional)
    }
    return FileOfCode(
      calls: found.calls.map(named), uses: found.uses.map(named), mentioned: found.mentioned)
  }

  /// The systems of the apps; without an app that of most.
  private static func systems(_ apps: [AppPurposes]) -> Set<SourceSystem> {
    var systems: Set<SourceSystem> = []
    for app in apps where !app.isExtension {
      switch app.system {
      case .iOS: systems.insert(.iOS)
      case .macOS: systems.insert(.macOS)
      case .other: systems.formUnion([.watchOS, .tvOS, .visionOS])
      }
    }
    return systems.isEmpty ? [.iOS] : systems
  }
}

/// The files of code in folders, in order.
struct SourceFiles {
  private(set) var files: [String] = []
  /// What was not looked into.
  private(set) var leftOut: [String] = []
  /// By device and number: a folder within another one is read once.
  private var seen: Set<[UInt64]> = []

  /// Files that people write are far smaller.
  static let mostBytes = 4 << 20
  private static let mostFiles = 100_000
  private static let mostDepth = 64
  /// Folders of libraries, which are checked where they are made, and of what tools make.
  private static let libraries: Set<String> = [
    "Pods", "Carthage", "SourcePackages", "DerivedData", "node_modules", "vendor", "Vendor", "ThirdParty",
    "third_party",
    "build",
  ]
  private static let bundles = [
    ".xcodeproj", ".xcworkspace", ".framework", ".xcframework", ".bundle", ".xcassets", ".app",
  ]
  private static let tests = ["Tests", "Specs", "Mocks"]

  mutating func add(_ path: String) throws(PermlogError) {
    guard path != "-" else {
      throw .usage("standard input cannot be an app's code: name a folder or a file", .sourceCode)
    }
    let name = path.utf8.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
    var status = stat()
    guard stat(name, &status) == 0 else { throw .unreadable(name, "open", .sourceCode) }
    if status.st_mode & S_IFMT == S_IFDIR {
      try addFolder(name, depth: 0)
    } else if SourceLanguage(fileName: name) != nil {
      addFile(name, status)
    } else {
      throw .usage("\(name): it is not a folder, and not a file of Swift or Objective-C", .sourceCode)
    }
  }

  private mutating func addFile(_ path: String, _ status: stat) {
    if seen.insert([UInt64(status.st_dev), UInt64(status.st_ino)]).inserted { files.append(path) }
  }

  private mutating func addFolder(_ path: String, depth: Int) throws(PermlogError) {
    guard depth < Self.mostDepth, files.count < Self.mostFiles else {
      throw PermlogError(
        .dataRefused,
        "\(path): folders are more than \(Self.mostDepth) levels deep there, or have more than 100,000 files. Name the folder of the app's own code.",
        argument: .sourceCode)
    }
    let names: [String]
    do { names = try SystemFileSystem().list(path).sorted() } catch { throw PermlogError(error) }
    for name in names where !name.hasPrefix(".") {
      let inside = path == "/" ? "/" + name : path + "/" + name
      var status = stat()
      guard lstat(inside, &status) == 0 else {
        leftOut.append(inside)
        continue
      }
      // Links to folders could lead in a circle.
      let isLink = status.st_mode & S_IFMT == S_IFLNK
      guard !isLink || stat(inside, &status) == 0 else { continue }
      if status.st_mode & S_IFMT == S_IFDIR {
        if Self.bundles.contains(where: name.hasSuffix) { continue }
        if isLink || Self.libraries.contains(name) || Self.tests.contains(where: name.hasSuffix) {
          leftOut.append(inside)
        } else {
          try addFolder(inside, depth: depth + 1)
        }
      } else if status.st_mode & S_IFMT == S_IFREG, SourceLanguage(fileName: name) != nil {
        addFile(inside, status)
      }
    }
  }
}
