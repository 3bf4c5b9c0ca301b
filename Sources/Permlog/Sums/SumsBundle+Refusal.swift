// Rejected rows of all shards: whoever adds them up decides.

public import Folding
import PermissionEvents
import ReportRendering

extension SumsTotals {
  /// Why these are not to be used, if more rows were rejected than may be.
  /// - Parameters:
  ///   - isStrict: no row may be.
  ///   - limit: so many may be; nil for any number.
  public func refusal(isStrict: Bool, limit: RejectionLimit?) -> IngestRefusal? {
    let rejected = rejected ?? 0
    if isStrict, rejected > 0 { return .strict(rejected: Int(rejected)) }
    // Of lines that are not known, those that were rejected are.
    guard let limit, limit.isExceeded(Int(rejected), of: Int(lines ?? rejected)) else { return nil }
    return .tooManyRejected(Int(rejected), limit: limit)
  }
}

extension SumsBundle {
  /// Throws if there were rows, and none was understood, as an ingest does.
  public func requireUnderstood() throws(PermlogError) {
    guard totals.isAllRefused, let lines = totals.lines else { return }
    throw PermlogError(
      .dataRefused,
      "\(counted(Int(lines), "line was", "lines were")) read for these sums and none was understood "
        + "(\(grouped(Int(totals.rejected ?? 0))) rejected). Check how the rows are read: the sums have the reasons.")
  }
}
