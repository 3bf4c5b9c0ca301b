// What one journey of the base adds to the sums of its group, figure by figure.

import PermissionEvents

extension ReportFold {
  func add(
    _ journey: Journey, day: DayNumber, _ events: JourneyEvents, _ permission: PermissionCode, _ slot: Int,
    _ counters: UnsafeMutablePointer<Int64>
  ) {
    counters[Counter.exposed] += 1
    switch journey.outcome {
    case .pending:
      counters[Counter.pending] += 1
      return
    case .restricted:
      counters[Counter.restricted] += 1
      return
    default: break
    }
    let outcome = journey.outcome.rawValue
    counters[Counter.outcome + outcome] += 1
    if journey.isPartial { counters[Counter.partial] += 1 }
    if journey.start + windows.followUp <= windows.asOf {
      counters[Counter.followUpEligible] += 1
      if journey.isGranted(events, within: windows.followUp) { counters[Counter.followUpGranted] += 1 }
    }
    addSteps(journey, counters)
    addTimes(journey, slot, counters)
    if journey.outcome == .granted {
      addAfterGrant(journey, events, permission, counters)
    } else {
      addReturn(journey, counters)
      if journey.outcome == .denied { addSettings(journey, events, counters) }
    }
    addEngagement(journey, day: day, counters)
  }

  private func addSteps(_ journey: Journey, _ counters: UnsafeMutablePointer<Int64>) {
    if journey.beginsWithExplanation {
      counters[Counter.explanationShown] += 1
      counters[Counter.explainedBase] += 1
      if journey.outcome == .granted { counters[Counter.explainedGranted] += 1 }
      if journey.hasPrompt {
        counters[Counter.explanationContinued] += 1
      } else {
        switch journey.outcome {
        case .skipped: counters[Counter.explanationSkipped] += 1
        case .droppedOff: counters[Counter.explanationDropped] += 1
        default: counters[Counter.explanationAnswered] += 1
        }
      }
    }
    if journey.hasPrompt {
      counters[Counter.promptShown] += 1
      counters[Counter.promptOutcome + journey.outcome.rawValue] += 1
    }
  }

  private func addTimes(_ journey: Journey, _ slot: Int, _ counters: UnsafeMutablePointer<Int64>) {
    func add(_ series: TimeSeries, _ time: Milliseconds) {
      counters[Counter.timeSum + series.rawValue] += time
      counters[Counter.timeCount + series.rawValue] += 1
      times.add(slot: slot, series: series, time: time)
    }
    if journey.isAnswered, let series = TimeSeries(rawValue: journey.outcome.rawValue) {
      add(series, journey.answerTime - journey.start)
    }
    if journey.beginsWithExplanation {
      if journey.hasPrompt {
        add(.explanation, journey.promptTime - journey.start)
      } else if journey.isAnswered {
        add(.explanation, journey.answerTime - journey.start)
      }
    }
    if journey.hasPrompt, journey.isAnswered { add(.prompt, journey.answerTime - journey.promptTime) }
  }

  private func addAfterGrant(
    _ journey: Journey, _ events: JourneyEvents, _ permission: PermissionCode, _ counters: UnsafeMutablePointer<Int64>
  ) {
    let followUp = windows.followUp
    guard journey.answerTime + followUp <= windows.asOf else { return }
    counters[Counter.afterGrantEligible] += 1
    let isRevoked = journey.contains(events, after: journey.answerTime, length: followUp) {
      events.kind($0) == KindCode.revoked
    }
    if isRevoked { counters[Counter.revoked] += 1 }
    guard journey.isPartial else { return }
    counters[Counter.partialEligible] += 1
    let isUpgraded = journey.contains(events, after: journey.answerTime, length: followUp) { i in
      let kind = events.kind(i)
      guard Journey.isGrant(kind) || kind == KindCode.statusChecked else { return false }
      return events.status(i).access(permission: permission) == .on
    }
    if isUpgraded { counters[Counter.upgraded] += 1 }
  }

  /// Re-engagement of a denied, skipped or dropped-off journey.
  private func addReturn(_ journey: Journey, _ counters: UnsafeMutablePointer<Int64>) {
    let number = journey.outcome.rawValue - Outcome.denied.rawValue
    let asOf = windows.asOf
    let isEnabled = journey.enabledTime != .max
    if journey.answerTime + windows.followUp <= asOf {
      counters[Counter.returning + 2 * number] += 1
      if isEnabled, journey.enabledTime <= journey.answerTime + windows.followUp {
        counters[Counter.returning + 2 * number + 1] += 1
      }
    }
    let end = isEnabled ? journey.enabledTime : asOf
    let day = Int((end - journey.answerTime) / millisecondsPerDay)
    let base = Counter.survival + number * Counter.survivalStride
    if day >= Counter.survivalDays {
      counters[base + 2 * Counter.survivalDays] += 1
    } else {
      counters[base + (isEnabled ? 0 : Counter.survivalDays) + day] += 1
    }
  }

  /// Settings prompts of a denied journey, and the time it spent under their influence and outside it.
  private func addSettings(_ journey: Journey, _ events: JourneyEvents, _ counters: UnsafeMutablePointer<Int64>) {
    let end = min(journey.enabledTime, journey.answerTime + windows.followUp, windows.asOf)
    let isEnabledInTime =
      journey.enabledTime <= journey.answerTime + windows.followUp && journey.enabledTime <= windows.asOf
    var exposed: Milliseconds = 0
    var isEnabledExposed = false
    if let row = journey.first(KindCode.settingsPromptShown, events) {
      let shown = events.times[row]
      let isAfterPrompt = journey.enabledTime > shown && journey.enabledTime <= shown + windows.settings
      counters[Counter.settingsShown] += 1
      var i = 0
      while i < events.count, events.times[i] <= shown + windows.response {
        if events.times[i] >= shown, events.kind(i) == KindCode.settingsOpened {
          counters[Counter.settingsOpened] += 1
          break
        }
        i += 1
      }
      if shown + windows.settings <= windows.asOf {
        counters[Counter.settingsEligible] += 1
        if isAfterPrompt { counters[Counter.settingsEnabled] += 1 }
      }
      exposed = max(0, min(end, shown + windows.settings) - shown)
      isEnabledExposed = isAfterPrompt
    }
    let unexposed = end - journey.answerTime - exposed
    counters[Counter.exposedDays] += exposed / millisecondsPerDay
    counters[Counter.exposedMilliseconds] += exposed % millisecondsPerDay
    counters[Counter.unexposedDays] += unexposed / millisecondsPerDay
    counters[Counter.unexposedMilliseconds] += unexposed % millisecondsPerDay
    if isEnabledInTime { counters[isEnabledExposed ? Counter.exposedEnabled : Counter.unexposedEnabled] += 1 }
  }

  private func addEngagement(_ journey: Journey, day: DayNumber, _ counters: UnsafeMutablePointer<Int64>) {
    let after = engagement.after(day)
    if day + 28 <= asOfDay {
      let base = Counter.engagement + (journey.outcome == .granted ? 0 : Counter.engagementStride)
      counters[base] += 1
      let active = after.activeDays
      counters[base + 1] += active
      counters[base + 2] += active * active
      counters[base + 3] += after.featureEvents
      counters[base + 4] += after.featureEvents * after.featureEvents
    }
    let base = Counter.retention + journey.outcome.rawValue * 2
    let stride = Outcome.base.count * 2
    func add(_ number: Int, _ n: Int64, _ isRetained: Int64) {
      guard day + n + 1 <= asOfDay else { return }
      counters[base + number * stride] += 1
      counters[base + number * stride + 1] += isRetained
    }
    add(0, 1, after.isActive(onDay: 1))
    add(1, 7, after.isActive(onDay: 7))
    add(2, 30, after.isActive(onDay: 30))
  }
}
