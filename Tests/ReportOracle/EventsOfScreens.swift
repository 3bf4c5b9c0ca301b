// Histories that sums read as a log does: sums are read in the usual way, whoever they are of.

extension [OracleEvent] {
  /// Without the permissions that have no screen in the first quarter of the events: later, a log would read their answers alone.
  public var ofScreens: [OracleEvent] {
    let moment = map(\.timestamp).sorted()[count / 4]
    let shown = Set(
      filter { $0.timestamp <= moment && ["explanation_shown", "prompt_shown"].contains($0.event) }
        .compactMap(\.permission).map { [UInt8]($0.utf8) })
    return filter { event in event.permission.map { shown.contains([UInt8]($0.utf8)) } ?? true }
  }
}
