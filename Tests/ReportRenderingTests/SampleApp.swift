// Seven weeks of an app that asks for five permissions, two of them under names of its own.

import PermissionEvents

extension SampleHistories {
  private static let day = millisecondsPerDay
  /// Wednesday 2026-03-11 at noon: six complete weeks, and 2026-W11 running.
  static let sampleEnd = monday + 44 * day + day / 2

  /// 900 users, always the same. In the last complete week far fewer grant notifications than before.
  static func app(seed: UInt64 = 20_260_126) -> SampleHistories {
    var histories = SampleHistories()
    var numbers = SampleNumbers(seed: seed)
    for number in 0..<900 {
      let start = monday + numbers.below(sampleEnd - monday)
      var events = visits(from: start, &numbers)
      // One in four installed before the log began.
      let before = [20_000, 600_000, 7_200_000, 3 * day, 20 * day]
      if number % 4 != 3 {
        events.append(Event(time: start - before[number / 4 % before.count], kind: .appInstalled))
      }
      let isDown = start >= monday + 35 * day && start < monday + 42 * day
      events += journey(1, from: start, explained: true, grants: isDown ? 25 : 55, &numbers)
      if number % 3 == 0 {
        events += journey(3, from: start + 90_000, explained: number % 2 == 0, grants: 80, &numbers)
      }
      if number % 5 == 0 { events += journey(14, from: start + 200_000, explained: false, grants: 60, &numbers) }
      if number % 9 == 0 { events += journey(customCode, from: start + 300_000, explained: true, grants: 50, &numbers) }
      if number % 11 == 0 {
        events += journey(customCode + 1, from: start + 400_000, explained: false, grants: 70, &numbers)
      }
      let property = UInt32(numbers.below(3))
      histories.users.append(
        events.filter { $0.time <= sampleEnd }.map { event in
          var event = event
          event.property = property
          return event
        })
    }
    // The last moments: their answers are still awaited.
    for user in 0..<3 {
      histories.users.append([
        Event(time: sampleEnd - Milliseconds(user) * 60_000, kind: .promptShown, permission: 1)
      ])
    }
    return histories
  }

  private static func visits(from start: Milliseconds, _ numbers: inout SampleNumbers) -> [Event] {
    var events = [Event(time: start - 1000, kind: .appActive)]
    for n in 1...31 where numbers.isTrue(percent: 25) {
      let time = start + Milliseconds(n) * day + numbers.below(3_600_000)
      events.append(Event(time: time, kind: .appActive))
      if numbers.isTrue(percent: 40) { events.append(Event(time: time + 5000, kind: .featureUsed)) }
    }
    return events
  }

  private static func journey(
    _ permission: UInt32, from start: Milliseconds, explained: Bool, grants: Int64, _ numbers: inout SampleNumbers
  ) -> [Event] {
    func event(_ kind: EventKind, _ time: Milliseconds, _ status: AuthorizationStatus = .none) -> Event {
      Event(time: time, kind: kind, permission: permission, status: status)
    }
    var events: [Event] = []
    var time = start
    if explained {
      events.append(event(.explanationShown, time))
      time += 1500 + numbers.below(9000)
      if numbers.isTrue(percent: 15) { return events + [event(.skipped, time)] }
      if numbers.isTrue(percent: 4) { return events }
    }
    events.append(event(.promptShown, time))
    time += 900 + numbers.below(4000)
    if numbers.isTrue(percent: grants) {
      let isLimited = permission == 3 && numbers.isTrue(percent: 25)
      events.append(event(.granted, time, isLimited ? .limited : .authorized))
      if isLimited, numbers.isTrue(percent: 30) { events.append(event(.statusChecked, time + 5 * day, .authorized)) }
      if numbers.isTrue(percent: 4) { events.append(event(.revoked, time + 9 * day)) }
      return events
    }
    events.append(event(.denied, time, numbers.isTrue(percent: 3) ? .restricted : .denied))
    if numbers.isTrue(percent: 40) {
      let shown = time + numbers.below(6 * day)
      events.append(event(.settingsPromptShown, shown))
      if numbers.isTrue(percent: 45) { events.append(event(.settingsOpened, shown + 4000)) }
      if numbers.isTrue(percent: 20) { events.append(event(.reEnabled, shown + 40_000, .authorized)) }
    } else if numbers.isTrue(percent: 8) {
      events.append(event(.reEnabled, time + numbers.below(25 * day) + 1, .authorized))
    }
    return events
  }
}
