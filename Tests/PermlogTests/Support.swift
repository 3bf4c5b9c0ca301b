// A directory for a test, and exports to ingest.

import Foundation
@testable import PermissionAnalysis
@testable import Permlog

final class TemporaryDirectory {
  let path: String

  init() throws {
    path = NSTemporaryDirectory() + "permlog-library-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func file(_ name: String) -> String { path + "/" + name }

  @discardableResult
  func write(_ name: String, _ text: String) throws -> String {
    try Data(text.utf8).write(to: URL(fileURLWithPath: file(name)))
    return file(name)
  }
}

enum Sample {
  /// The repository's directory.
  static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().path

  static let files = ["export-1.ndjson", "export-2.csv", "export-3.ndjson.zst"].map { root + "/data/" + $0 }

  static func bytes(_ path: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: URL(fileURLWithPath: path))) }

  static func line(
    _ user: String, _ event: String, permission: String = "camera", time: String = "2026-03-02T10:00:00Z"
  )
    -> String
  {
    #"{"user_id":"\#(user)","timestamp":"\#(time)","event":"\#(event)","permission":"\#(permission)"}"# + "\n"
  }

  /// A log with the sample exports.
  static func log(in directory: TemporaryDirectory) throws -> PermissionLog {
    let log = try PermissionLog(directory.file("log"), threads: 2)
    try log.ingest(files)
    return log
  }
}

/// The error that something throws; nil if it throws none of the library's.
func failure(_ body: () throws -> Void) -> PermlogError? {
  do { try body() } catch { return error as? PermlogError }
  return nil
}

/// Sums of one kind on their way, as a fold of one's own has them.
protocol SumsOfKind: FoldSums {
  static var kind: Question.Kind { get }
  var any: AnySums { get set }
  init(any: AnySums)
}

extension SumsOfKind {
  static var name: String { kind.fold }
  static var layout: SumsLayout<Self> { [] }
  var tables: [SumTable] { any.tables }
  init() { self.init(any: AnySums(Self.kind)) }
  init(tables: [SumTable]) throws(SumsError) { self.init(any: try AnySums(Self.kind, tables: tables)) }
  mutating func add(_ other: Self) throws(SumsError) { try any.add(other.any) }
}

enum SumsOf {
  struct Report: SumsOfKind {
    static let kind = Question.Kind.report
    var any: AnySums

    /// Of users whom no open reading concerns.
    var timing: [ReportSums.TimingKey: [Int64]] {
      get {
        (any.counted as? ReportSums)?.timing.rows ?? [:]
      }
      set {
        guard var sums = any.counted as? ReportSums else { return }
        sums.timing.rows = newValue
        any.counted = sums
      }
    }
  }

  struct Compare: SumsOfKind {
    static let kind = Question.Kind.compare
    var any: AnySums
  }

  struct Flow: SumsOfKind {
    static let kind = Question.Kind.flow
    var any: AnySums
  }

  struct Audit: SumsOfKind {
    static let kind = Question.Kind.audit
    var any: AnySums
  }
}

extension PermissionLog {
  func file<S: SumsOfKind>(
    of question: Question, within hashes: ClosedRange<UInt64> = 0...(.max)
  ) throws -> SumsFile<S> {
    SumsFile(question: question.facts, sums: S(any: try sums(of: question, within: hashes)))
  }
}
