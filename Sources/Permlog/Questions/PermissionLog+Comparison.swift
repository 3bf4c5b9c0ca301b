// Messages against the first of them.

import PermissionAnalysis

extension PermissionLog {
  /// Compares messages with the control by an always-valid confidence sequence, or at declared looks.
  /// - Parameter onUnknown: told of what a later version has put into the log, which is left out of the figures.
  /// - Throws: `usage` if the log does not have a name of the request, or it asks for what cannot be; `notFound` if the
  ///   log is empty.
  public func compare(
    _ request: ComparisonRequest, onUnknown: ((UnknownVocabulary) -> Void)? = nil
  ) throws(PermlogError) -> ComparisonSet {
    try request.check()
    return try translating {
      var source = try ComparisonSource(
        self, request.scope, permission: request.permission, experiment: request.experiment, by: request.property,
        variants: request.variants, onUnknown: onUnknown)
      request.apply(to: &source.question)
      return try ComparisonSet(source.fold(), source.question)
    }
  }
}
