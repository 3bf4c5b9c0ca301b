// A plan in a file, and the record of looks beside it.

import EventLog
import PermissionAnalysis
import PermissionEvents

/// A plan that was saved to a file. The looks that comparisons make may be recorded beside it.
///
/// For example:
///
/// ```swift
/// let file = try PlanFile(planPath)
/// let comparison = try log.compare(ComparisonRequest(file.plan), as: file, isRecorded: true)
/// ```
public struct PlanFile: Sendable {
  public let path: String
  public let plan: SavedPlan

  /// Reads a plan.
  /// - Throws: `notFound` or `inputOutput` if the file cannot be read; `usage` if it is no plan; `newerFormat` if a later
  ///   version wrote it.
  public init(_ path: String) throws(PermlogError) {
    guard let bytes = try SmallFile.read(path, limit: 1 << 20, argument: .plan, isRegular: true) else {
      throw PermlogError(.usage, "\(path): it is larger than 1 MiB, which no plan is", argument: .plan)
    }
    self.path = path
    plan = try SavedPlan(bytes, name: path)
  }

  /// Saves a plan to a file that is not there yet. It is there whole or not at all.
  /// - Throws: `usage` if the file is there (a plan is made once) or would be in a log's directory; `inputOutput` if it
  ///   cannot be written.
  public init(saving plan: SavedPlan, to path: String) throws(PermlogError) {
    try self.init(saving: plan, to: path, besides: ProtectedFiles())
  }

  /// - Parameter protected: what it must not be.
  package init(saving plan: SavedPlan, to path: String, besides protected: ProtectedFiles) throws(PermlogError) {
    let isNew: Bool
    do { isNew = try WholeFile.write(plan.encoded, to: path, besides: protected, replaces: false) } catch {
      var error = error
      if error.code == .usage { error.argument = .save }
      throw error
    }
    guard isNew else {
      throw PermlogError(
        .usage, "\(path): there is such a file, and a plan replaces none. Name another file.", argument: .save)
    }
    self.path = path
    self.plan = plan
  }

  /// Where looks are recorded: `plan.looks.json` beside `plan.json`. If the path is a symbolic link, beside the file that it
  /// leads to, so that one plan has one record, by whatever name it is reached.
  public var recordPath: String {
    let path = WholeFile.resolved(path)
    return (path.hasSuffix(".json") ? String(path.dropLast(5)) : path) + ".looks.json"
  }

  /// What the record names the plan by: the checksum of its content, however the file is laid out.
  var checksum: String { Checksum.text(of: plan.encoded) }

  /// The looks that were recorded; nil if none were.
  /// - Throws: `damaged` if the record is not as it was written; `usage` if it is of another plan; `newerFormat`,
  ///   `inputOutput`.
  public func record() throws(PermlogError) -> LookRecord? {
    let found: [UInt8]?
    do {
      found = try SmallFile.read(recordPath, limit: Self.longestRecord, argument: .plan, isRegular: true)
    } catch {
      if error.code == .notFound { return nil }
      throw error
    }
    guard let bytes = found else {
      throw PermlogError(.damaged, "\(recordPath): it is larger than any record of looks. Restore it from a copy.")
    }
    let record = try LookRecord(bytes, name: recordPath)
    guard record.plan == checksum else {
      throw PermlogError(
        .usage,
        "\(recordPath): these looks were recorded for another plan than \(path) holds now. Take back the change of the "
          + "plan, or move the record away.")
    }
    guard record.arms.map(\.variant) == Array(plan.variants.dropFirst()) else {
      throw PermlogError(.damaged, "\(recordPath): it has other messages than its plan. Restore it from a copy.")
    }
    return record
  }

  /// A day takes some 200 bytes: sixteen messages over fourteen years. What is read is in memory many times over.
  private static let longestRecord = 16 << 20

  /// Does something while no other process records looks of this plan.
  func locked<Value>(_ body: () throws(PermlogError) -> Value) throws(PermlogError) -> Value {
    // The plan itself is locked: it is never replaced, and no other file is made for it.
    let lock = try PlanLock(path)
    defer { lock.release() }
    return try body()
  }
}

/// The kernel's lock of a plan's file, which ends with the process at the latest.
private struct PlanLock {
  private let descriptor: Int32
  private let files = SystemFileSystem()

  init(_ path: String) throws(PermlogError) {
    let files = files
    descriptor = try translating { try files.open(path, .read) }
    let isOurs: Bool
    do { isOurs = try files.lock(descriptor, path: path) } catch {
      try? files.close(descriptor)
      throw PermlogError(error)
    }
    guard isOurs else {
      try? files.close(descriptor)
      throw PermlogError(.busy, "\(path): another permlog records looks of this plan. Try again when it is done.")
    }
  }

  func release() { try? files.close(descriptor) }
}
