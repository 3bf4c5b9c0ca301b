// Stub until questions are values: kind, checksum and bytes.

import Folding
import EventLog
public import PermissionEvents
import ReportRendering
import PermissionAnalysis

public struct Question: Sendable, Hashable {
  public enum Kind: String, CaseIterable, Sendable, CustomStringConvertible {
    case report, compare, flow, audit
    public var description: String { rawValue }
  }
  public let kind: Kind
  public let encoded: [UInt8]
  public var checksum: String { Checksum.text(of: encoded) }
  public var now: Milliseconds { 1_775_001_600_000 }
  var facts: [String: String] { ["kind": kind.rawValue] }

  public init(_ bytes: [UInt8], name: String) throws(PermlogError) {
    guard let tree = TreeOfJSON(document: bytes), case .object(let members) = tree,
      case .text(let text)? = members.first(where: { $0.key == "kind" })?.value, let kind = Kind(rawValue: text)
    else { throw PermlogError(.dataRefused, "\(name): it is no question") }
    self.kind = kind
    encoded = bytes
  }

  func sums(of snapshot: LogSnapshot, threads: Int) throws -> AnySums {
    switch kind {
    case .report:
      var request = ReportRequest()
      request.scope.asOf = .time(1_775_001_600_000)
      let question = try request.sharedQuestion()
      return .report(try snapshot.fold(question.selection, threads: threads) { ReportFold(question, contexts: $0) })
    default: throw PermlogError(.usage, "stub")
    }
  }
}
