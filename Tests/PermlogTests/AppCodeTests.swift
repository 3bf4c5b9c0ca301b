// Which files of a folder are an app's code, and what is compared with the Info.plist and the log.

import Foundation
import PermissionAnalysis
import Testing

@testable import Permlog

@Suite final class AppCodeTests {
  private let folder = NSTemporaryDirectory() + "permlog-code-" + UUID().uuidString

  init() throws { try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true) }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  @discardableResult private func write(_ name: String, _ text: String) throws -> String {
    let path = folder + "/" + name
    try FileManager.default.createDirectory(
      atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    return path
  }

  private let camera = "import AVFoundation; AVCaptureDevice.requestAccess(for: .video) { _ in }\n"

  @discardableResult private func infoPlist(_ keys: String = "") throws -> String {
    let start = "<?xml version=\"1.0\"?>\n<plist version=\"1.0\">\n<dict>\n<key>DTXcode</key><string>1</string>\n"
    return try write("Info.plist", start + keys + "\n</dict></plist>")
  }

  private func key(_ name: String, _ text: String = "To scan the receipts that you photograph.") -> String {
    "<key>\(name)</key>\n<string>\(text)</string>"
  }

  private func report(_ change: (inout AuditRequest) -> Void = { _ in }) throws -> AuditReport {
    var request = AuditRequest()
    request.infoPlists = [folder + "/Info.plist"]
    request.sources = [folder]
    change(&request)
    return try request.auditOfApp()
  }

  private func found(_ report: AuditReport) -> [String] {
    report.findings.map { "\($0.severity) \($0.check.rawValue) \($0.permission ?? "")" }
  }

  @Test("A call without a key is an error with file and line, and none with it")
  func missing() throws {
    try infoPlist()
    let code = try write("App/Scan.swift", "\n\n" + camera)
    let report = try report()
    #expect(found(report) == ["error missing_purpose camera"])
    guard case .purpose(let finding)? = report.findings.first?.detail else { throw Missing() }
    #expect(finding.calls == [AppCode.Call("requestAccess", in: code, line: 3, ["camera"])])
    #expect(!report.hasLog && report.code?.files == 1)
    try infoPlist(key("NSCameraUsageDescription"))
    #expect(found(try self.report()).isEmpty)
  }

  @Test("A key that no call and no name of the code needs is a note, with its line")
  func unused() throws {
    try infoPlist(
      key("NSCameraUsageDescription") + "\n" + key("NSMotionUsageDescription", "To count the steps of your walks."))
    try write("App/Scan.swift", "picker = UIImagePickerController()")
    let report = try report()
    #expect(found(report) == ["note unused_purpose motion"])
    guard case .purpose(let finding)? = report.findings.first?.detail else { throw Missing() }
    #expect(finding.line == 7 && finding.reason == .isUnused(in: .code))
  }

  @Test("What only some builds ask for is a warning, and what debug builds ask for is nothing")
  func conditional() throws {
    try infoPlist()
    try write(
      "App/Scan.swift",
      "#if FEATURE\n\(camera)#endif\n#if DEBUG\nimport CoreLocation; manager.requestAlwaysAuthorization()\n#endif\n")
    #expect(found(try report()) == ["warning missing_purpose camera"])
  }

  @Test("A call whose permission is not certain proves nothing")
  func unclear() throws {
    try infoPlist()
    try write("App/Scan.swift", "import AVFoundation; AVCaptureDevice.requestAccess(for: kind) { _ in }")
    let report = try report()
    #expect(found(report) == ["note may_ask camera"] && report.code?.unclear.count == 1)
    try infoPlist(key("NSMicrophoneUsageDescription"))
    #expect(found(try self.report()).isEmpty)
  }

  @Test("Libraries, tests, hidden folders and links to folders are left out; both languages and single files are read")
  func folders() throws {
    try infoPlist(key("NSCameraUsageDescription"))
    for name in ["Pods/A.swift", "AppTests/A.swift", ".build/A.swift", "A.xcodeproj/A.swift", "App/Mocks/A.swift"] {
      try write(name, camera)
    }
    try write("App/A.m", "@import CoreLocation; [m requestAlwaysAuthorization];")
    let one = try write("App/B.mm", "@import CoreLocation; [m requestAlwaysAuthorization];")
    try write("App/notes.txt", camera)
    try FileManager.default.createSymbolicLink(atPath: folder + "/App/Loop", withDestinationPath: folder)
    let code = try #require(try report().code)
    #expect(code.files == 2 && code.calls.map(\.permissions) == [["location_always"], ["location_always"]])
    #expect(code.leftOut.map { $0.dropFirst(folder.count + 1) } == ["App/Loop", "App/Mocks", "AppTests", "Pods"])
    #expect(try report().files.count >= 3)
    let twice = try report { $0.sources = [self.folder, self.folder + "/App", one] }
    #expect(twice.code?.files == 2)
  }

  @Test("What is no code is refused by name")
  func refusals() throws {
    try infoPlist()
    func refusal(_ path: String) -> String? {
      do {
        _ = try report { $0.sources = [path] }
        return nil
      } catch let error as PermlogError { return error.message } catch { return "\(error)" }
    }
    #expect(refusal(folder)?.contains("there is no Swift or Objective-C") == true)
    #expect(refusal(folder + "/gone")?.contains("/gone") == true)
    #expect(refusal(folder + "/Info.plist")?.contains("not a file of Swift or Objective-C") == true)
    try write("App/Torn.swift", "let a = \"\"\"\n")
    #expect(try report().code?.unread.count == 1)
    try FileManager.default.removeItem(atPath: folder + "/App/Torn.swift")
    try write("App/Big.swift", String(repeating: "// \n", count: 1_100_000))
    #expect(try report().code?.unread.count == 1)
  }

  @Test("Without a log, fields and checks for a log are refused, and so is an audit of nothing")
  func fieldsOfALog() throws {
    try infoPlist()
    try write("A.swift", camera)
    for change: (inout AuditRequest) -> Void in [
      { $0.examples = 1 }, { $0.thresholds[.coldAsk] = AuditThreshold(percent: "5") },
      {
        $0.only = [.coldAsk]; $0.infoPlists = []; $0.sources = []
      }, { $0.infoPlists = [] }, { $0.only = [.notLogged] }, { $0.permission = "camra" }, { $0.sources = ["-"] },
    ] {
      #expect(throws: PermlogError.self) { _ = try self.report(change) }
    }
    #expect(found(try report { $0.only = [.missingPurpose] }) == ["error missing_purpose camera"])
    #expect(found(try report { $0.permission = "contacts" }).isEmpty)
  }

  private struct Missing: Error {}
}
