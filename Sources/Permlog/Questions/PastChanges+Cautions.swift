// What has changed in the log since a decision could first be read, beside that decision.

import EventLog
import PermissionAnalysis
import PermissionEvents

extension ComparisonSet {
  /// Looks are computed anew from the log at each call. If events that earlier looks depend on were added or removed after
  /// them, that is said beside every decision that they could have changed.
  mutating func noteChanges(of snapshot: LogSnapshot) {
    addCautions { pair in
      guard let first = pair.firstExposureDay else { return [] }
      let last = pair.monitoring.decidedOn ?? .max
      let moments = pair.monitoring.looks.prefix { $0.day <= last }.map { pair.zone.firstMoment(of: $0.day + 1) }
      let changes = snapshot.changes(before: moments, since: pair.zone.firstMoment(of: first))
      func day(_ moment: Milliseconds) -> DayNumber { pair.zone.day(of: moment) }
      var cautions: [Comparison.Caution] = []
      for events in [changes.lateEvents, pair.metric == .retentionDay7 ? changes.lateActivity : nil].compactMap({ $0 })
      {
        // Before a decision a few stragglers, which phones always have, are not worth a word.
        let isMany = events.atMost >= (pair.a.exposed + pair.b.exposed) / 100
        guard pair.monitoring.decidedOn != nil || isMany else { continue }
        cautions.append(.lateEvents(atMost: events.atMost, last: day(events.committed.upperBound)))
      }
      if let erasure = changes.erasure {
        cautions.append(.erased(atMost: erasure.atMost, last: day(erasure.committed.upperBound)))
      }
      if let limit = changes.expiredBefore { cautions.append(.expired(before: day(limit))) }
      return cautions
    }
  }
}
