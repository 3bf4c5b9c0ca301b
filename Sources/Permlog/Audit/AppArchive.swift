// An app as it is uploaded (`.ipa`): a zip with the built app, its extensions and its watch app.

import EventImport
import PermissionAnalysis
import SystemCalls

/// The small files of an `.ipa`, unpacked into a folder of their own as long as they are read.
final class AppArchive {
  private let path: String
  private let folder: String
  /// Paths of Info.plists in it, the app's first.
  private(set) var infoPlists: [String] = []

  /// All purpose strings of large apps in all their languages have a tenth of that.
  private static let mostBytes = 64 << 20
  private static let mostFiles = 20_000

  /// - Throws: `dataRefused` if it is no zip, or has no app.
  init(_ path: String) throws(PermlogError) {
    guard SmallFile.isRegular(path) else { throw .unreadable(path, "open", .infoPlist) }
    let files: [(path: String, bytes: [UInt8])]
    do throws(ImportError) {
      files = try ZipMembers.read(path, mostBytes: Self.mostBytes, isWanted: Self.isWanted)
    } catch {
      // The cause may be the machine's, such as a library that is not there.
      let cause = PermlogError(error).explanation.finding
      throw PropertyListFile.refusal(path, "it cannot be read as an .ipa, which is a zip archive: \(cause)")
    }
    guard files.count <= Self.mostFiles else {
      throw PropertyListFile.refusal(path, "it has more than 20,000 Info.plists and tables of purpose strings")
    }
    // As it is: the path of a folder.
    let root = getenv("TMPDIR").map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"
    var template = Array((root + "/permlog-XXXXXX").utf8CString)
    guard mkdtemp(&template) != nil else { throw .unreadable(root, "write to", .infoPlist) }
    // As it is: the path of a folder that is made.
    (self.path, folder) = (
      path, template.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? root }
    )
    for file in files { try write(file.path, file.bytes) }
    infoPlists = files.map(\.path).filter { $0.hasSuffix("/Info.plist") }
      .sorted { ($0.utf8.count, $0) < ($1.utf8.count, $1) }.map { folder + "/" + $0 }
    guard !infoPlists.isEmpty else {
      throw PropertyListFile.refusal(path, "it has no app: no Payload/….app with an Info.plist")
    }
  }

  deinit { Self.remove(folder) }

  /// An Info.plist of the app, an extension or a watch app, and its tables; a bundle within these asks for nothing.
  private static func isWanted(_ name: String) -> Bool {
    let parts = name.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count >= 3, parts[0] == "Payload", !parts.contains(".."), !parts.contains("") else { return false }
    if parts.last == "Info.plist" {
      return parts[parts.count - 2].hasSuffix(".app") || parts[parts.count - 2].hasSuffix(".appex")
    }
    guard parts.last == "InfoPlist.strings" else { return false }
    let inside = parts.dropLast(2).last ?? ""
    return parts[parts.count - 2].hasSuffix(".lproj") && (inside.hasSuffix(".app") || inside.hasSuffix(".appex"))
  }

  private func write(_ name: String, _ bytes: [UInt8]) throws(PermlogError) {
    var made = folder
    for part in name.split(separator: "/").dropLast() {
      made += "/" + part
      guard mkdir(made, 0o700) == 0 || errno == EEXIST else { throw .unreadable(made, "write to", .infoPlist) }
    }
    let descriptor = open(folder + "/" + name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    // A second file of the same name counts as little as it does for the system, which takes one of them.
    guard descriptor >= 0 else {
      if errno == EEXIST { return }
      throw .unreadable(folder, "write to", .infoPlist)
    }
    defer { close(descriptor) }
    var offset = 0
    while offset < bytes.count {
      let count = bytes[offset...].withUnsafeBytes { SystemCalls.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw .unreadable(folder, "write to", .infoPlist) }
      offset += count
    }
  }

  /// Removes the folder with what was unpacked, as far as it goes.
  private static func remove(_ folder: String) {
    for name in (try? PlistFolder.names(in: folder)) ?? [] {
      let inside = folder + "/" + name
      if unlink(inside) != 0 { remove(inside) }
    }
    rmdir(folder)
  }

  /// The apps in it, with paths as people know them: `App.ipa/Payload/App.app/Info.plist`.
  func apps() throws(PermlogError) -> [AppPurposes] {
    var apps: [AppPurposes] = []
    for infoPlist in infoPlists {
      do {
        var app = try AppPurposes(infoPlist: infoPlist)
        app.rename { $0.hasPrefix(folder) ? path + $0.dropFirst(folder.count) : $0 }
        app.filesRead = [path]
        apps.append(app)
      } catch {
        throw PermlogError(error.code, error.explanation.finding.replacing(folder, with: path), argument: .infoPlist)
      }
    }
    return apps
  }
}

extension AppPurposes {
  /// Gives its files other names.
  fileprivate mutating func rename(_ name: (String) -> String) {
    file = name(file)
    for (key, sentence) in sentences { sentences[key]?.file = name(sentence.file) }
    for index in translations.indices {
      for (key, sentence) in translations[index].sentences {
        translations[index].sentences[key]?.file = name(sentence.file)
      }
    }
  }
}
