// Counts the users of a comparison by arm: by the message that a screen or a Settings prompt showed, or by the variant that they were given.

import Buffers
import Folding
import PermissionEvents

struct ArmFold: ~Copyable {
  private let question: ComparisonQuestion
  private let contexts: HistoryContexts
  private var arms: ArmTable
  /// By calendar day of the exposure.
  private var days: ArmCounterTable
  /// By combination of the checked attributes at the exposure.
  private var attributes: ArmCounterTable
  /// By value of the property that was asked for.
  private var properties: ArmCounterTable
  private var exposures: ExposureValues
  private let countsProperty: Bool
  /// By the day by whose end it is settled.
  private var settled: SettledTable
  /// Times to answer, with the slots of `ArmIndex`.
  private var times = TimeLog()

  private let windows: AnalysisWindows
  private let isScreenOfExperiment: Buffer<UInt8>
  private var valueArms: ValueArms
  private var versions: VersionDayTable
  private let dates: Range<Milliseconds>
  private let periodStarts: [Milliseconds]
  private let permission: PermissionCode
  /// The log has no screens of the permission.
  private let isAlone: Bool
  private let asOfDay: DayNumber
  private var dayCursor = DayCursor()
  private let lookDays: LookDays
  private var strata: StratumCodes
  /// By arm the users who were not asked, because all calls returned at once.
  private var notAsked: [Int64]
  /// By arm the users who saw a Settings prompt, and whose journey has no denial before it.
  private var notDenied: [Int64]
  /// By arm the users who saw a message of the same test on a screen of the journey, up to the denial.
  private var messageBefore: [Int64]
  /// Users who were exposed to a message of the test before its first day; they are left out.
  private var exposedBefore: Int64 = 0
  /// If the answer has the message: journeys of the base, and those among them without a message on an answer. Of Settings prompts:
  /// journeys with a message of the arms, and those among them that count for none, as their first prompt has no message.
  private var withMessages = (journeys: Int64(0), without: Int64(0))

  init(_ question: ComparisonQuestion, contexts: HistoryContexts) {
    self.question = question
    self.contexts = contexts
    windows = question.windows
    (dates, periodStarts) = (question.dates, question.periodStarts)
    arms = ArmTable(arms: question.arms)
    notAsked = [Int64](repeating: 0, count: question.arms)
    (notDenied, messageBefore) = (notAsked, notAsked)
    days = ArmCounterTable(keys: question.days(contexts.times), arms: question.arms)
    attributes = ArmCounterTable(keys: 0...max(0, contexts.attributes.count - 1), arms: question.arms)
    exposures = ExposureValues(
      question.countedProperty.map { [$0] } ?? [], where: question.conditions, question.selection, contexts)
    properties = ArmCounterTable(keys: 0...max(0, exposures.names.count - 1), arms: question.arms)
    countsProperty = question.countedProperty != nil
    valueArms = ValueArms(question, contexts)
    versions = VersionDayTable(isWanted: true, question.selection, contexts)
    lookDays = LookDays(question.settlingMoments(contexts.times), in: question.zone)
    settled = SettledTable(days: lookDays.range, arms: question.arms)
    strata = StratumCodes(question, contexts)
    let permission = contexts.permissionCode(question.permission)
    let experiment = question.experiment.map { contexts.experimentCode($0) }
    var isScreenOfExperiment = Buffer<UInt8>()
    for context in contexts.contexts {
      isScreenOfExperiment.append(experiment == nil || context.experiment == experiment ? 1 : 0)
    }
    self.permission = PermissionCode(rawValue: permission)
    isAlone = permission < UInt32(contexts.permissions.count) && contexts.isAnsweredAlone(permission)
    self.isScreenOfExperiment = isScreenOfExperiment
    asOfDay = question.zone.lastBegunDay(at: question.windows.asOf)
  }

  /// Counts a user by the message of the first screen, or of the first Settings prompt after a denial.
  /// - Parameter rows: the user's events of the permission, at least one.
  /// - Returns: the arm; -1 for none.
  mutating func fold(_ rows: borrowing JourneyRows, _ user: borrowing UserHistory) -> Int {
    if question.source == .answer { return foldByAnswer(rows, user) }
    let events = rows.events
    var exposure = -1
    var arm = -1
    // The first event that shows a second variant.
    var second = Milliseconds.max
    // Of Settings prompts before the denial: the first, its arm, and all arms as bits.
    var early = (event: -1, arm: -1, arms: 0 as UInt32)
    let messages = messages(events)
    for i in 0..<events.count where messages.contains(i, events) {
      let context = Int(events.code(i) >> HistoryBatch.contextShift)
      guard isScreenOfExperiment[context] != 0 else { continue }
      let shown = valueArms.arm(of: rows.rowNumbers[i], user)
      if i < messages.start {
        if early.event < 0 { (early.event, early.arm) = (i, shown) }
        if shown >= 0 { early.arms |= 1 << UInt32(shown) }
      } else if exposure < 0 {
        let isInTime = events.time(i) >= dates.lowerBound
        if !isInTime, isOfTest(context, arm: shown), exposures.meetsConditions(user, rows.rowNumbers[i]) {
          exposedBefore += 1
        }
        guard isInTime, events.time(i) < dates.upperBound else { return -1 }
        // Whoever saw another variant first belongs to no arm.
        if shown < 0 {
          addWithoutMessage(rows, user, messages, from: i)
          return -1
        }
        (exposure, arm) = (i, shown)
        // Who updates the app has several of its versions: the first counts, and nothing is wrong with the others.
        if !question.isOfMessages { break }
      } else if shown >= 0, shown != arm {
        second = events.time(i)
        break
      }
    }
    if exposure < 0 {
      if early.arm >= 0, dates.contains(events.time(early.event)),
        exposures.meetsConditions(user, rows.rowNumbers[early.event])
      {
        notDenied[early.arm] += 1
      }
      if question.screen == .permission { addNotAsked(rows, user) }
      return -1
    }
    guard exposures.meetsConditions(user, rows.rowNumbers[exposure]) else { return arm }
    let journey = exposed(events, messages, exposure)
    // Whoever saw another message before the denial is known to have seen several from the exposure on.
    if question.isOfMessages, early.arms & ~(1 << UInt32(arm)) != 0 { second = journey.start }
    if let denied = messages.denied, question.isOfMessages {
      messageBefore[arm] += hasMessageBefore(denied, prompt: exposure, rows, user) ? 1 : 0
      withMessages.journeys += 1
    }
    add(journey, arm: arm, secondVariant: second, exposure: rows.rowNumbers[exposure], user)
    return arm
  }

  private func messages(_ events: EventList) -> MessageEvents {
    MessageEvents(question.screen, events, isAlone: isAlone, permission: permission, windows)
  }

  /// Whether a screen of the journey, up to the denial, showed a message of the test that the Settings prompt is of.
  private mutating func hasMessageBefore(
    _ denied: JourneyFacts, prompt: Int, _ rows: borrowing JourneyRows, _ user: borrowing UserHistory
  ) -> Bool {
    let events = rows.events
    func experiment(_ i: Int) -> UInt32 {
      contexts.contexts[Int(events.code(i) >> HistoryBatch.contextShift)].experiment
    }
    // The exposure shows a message whatever its kind: an answer may stand for its screen.
    for i in denied.exposure...max(denied.exposure, denied.answer)
    where i == denied.exposure || KindSet.screens.contains(events.code(i)) {
      if experiment(i) == experiment(prompt), valueArms.arm(of: rows.rowNumbers[i], user) >= 0 { return true }
    }
    return false
  }

  /// Counts a user with a Settings prompt of an arm, if the first one after the denial has no message at all.
  private mutating func addWithoutMessage(
    _ rows: borrowing JourneyRows, _ user: borrowing UserHistory, _ messages: MessageEvents, from first: Int
  ) {
    guard messages.denied != nil, question.isOfMessages else { return }
    let events = rows.events
    func context(_ i: Int) -> Int { Int(events.code(i) >> HistoryBatch.contextShift) }
    guard contexts.contexts[context(first)].variant == 0 else { return }
    for i in first..<events.count
    where messages.contains(i, events) && isScreenOfExperiment[context(i)] != 0
      && contexts.contexts[context(i)].variant != 0
    {
      guard valueArms.arm(of: rows.rowNumbers[i], user) >= 0, exposures.meetsConditions(user, rows.rowNumbers[i])
      else { return }
      withMessages.journeys += 1
      withMessages.without += 1
      return
    }
  }

  /// Whether an event shows a message of the test: of a named experiment any, else one of the arms.
  private func isOfTest(_ context: Int, arm: Int) -> Bool {
    question.experiment == nil || !question.isOfMessages ? arm >= 0 : contexts.contexts[context].variant != 0
  }

  private func exposed(_ events: EventList, _ messages: MessageEvents, _ exposure: Int) -> ExposedJourney {
    ExposedJourney(events, messages, exposure: exposure, permission: permission, windows)
  }

  /// Counts a user by the message of the answer, from the first screen on.
  private mutating func foldByAnswer(_ rows: borrowing JourneyRows, _ user: borrowing UserHistory) -> Int {
    let events = rows.events
    let exposure = events.exposure(isAlone: isAlone)
    guard exposure < events.count else {
      addNotAsked(rows, user)
      return -1
    }
    guard exposures.meetsConditions(user, rows.rowNumbers[exposure]) else { return -1 }
    let journey = JourneyFacts(events, exposure: exposure, permission: permission, windows: windows)
    guard dates.contains(events.time(exposure)) else {
      // Here the message is that of the answer.
      let isEarly = events.time(exposure) < dates.lowerBound && journey.isAnswered
      if isEarly, valueArms.arm(of: rows.rowNumbers[journey.answer], user) >= 0 { exposedBefore += 1 }
      return -1
    }
    func arm(of event: Int) -> Int {
      isScreenOfExperiment[Int(events.code(event) >> HistoryBatch.contextShift)] == 0
        ? -1 : valueArms.arm(of: rows.rowNumbers[event], user)
    }
    let hasMessage =
      journey.isAnswered
      && contexts.contexts[Int(events.code(journey.answer) >> HistoryBatch.contextShift)].variant != 0
    if journey.isInBase {
      withMessages.journeys += 1
      withMessages.without += hasMessage ? 0 : 1
    }
    guard hasMessage else { return -1 }
    let first = arm(of: journey.answer)
    guard first >= 0 else { return -1 }
    var second = Milliseconds.max
    var next = events.next(.results, from: journey.answer + 1)
    while next < events.count, second == .max {
      let other = arm(of: next)
      if other >= 0, other != first { second = events.time(next) }
      next = events.next(.results, from: next + 1)
    }
    add(
      ExposedJourney(journey, events, windows), arm: first, secondVariant: second,
      exposure: rows.rowNumbers[exposure], user)
    return first
  }

  /// Counts a user by the variant given, from the first screen, or Settings prompt after a denial, at or after it.
  /// - Parameters:
  ///   - rows: the user's events of the permission, maybe none.
  ///   - second: when another variant was given; the end of time if none was.
  mutating func fold(
    _ rows: borrowing JourneyRows, _ user: borrowing UserHistory, given: Assignment, second: Milliseconds
  ) -> AssignedExposure {
    let events = rows.events
    guard events.count > 0 else { return .never }
    let messages = messages(events)
    var isBefore = false
    for i in messages.start..<max(messages.start, events.count) where messages.contains(i, events) {
      guard events.time(i) >= given.time else {
        isBefore = true
        continue
      }
      guard events.time(i) < dates.upperBound else { return .never }
      guard events.time(i) >= dates.lowerBound else {
        if exposures.meetsConditions(user, rows.rowNumbers[i]) { exposedBefore += 1 }
        return .beforeTest
      }
      if exposures.meetsConditions(user, rows.rowNumbers[i]) {
        add(
          exposed(events, messages, i), arm: given.arm, secondVariant: second, exposure: rows.rowNumbers[i], user)
      }
      return .exposed
    }
    if isBefore { return .before }
    guard question.screen == .permission else { return .never }
    var call = events.next(.unseenPrompts, from: 0)
    while call < events.end, events.time(call) < given.time { call = events.next(.unseenPrompts, from: call + 1) }
    if call < events.end, dates.contains(events.time(call)), exposures.meetsConditions(user, rows.rowNumbers[call]) {
      notAsked[given.arm] += 1
    }
    return .never
  }

  /// Counts a user whose calls all returned at once, under the message of the first.
  private mutating func addNotAsked(_ rows: borrowing JourneyRows, _ user: borrowing UserHistory) {
    let events = rows.events
    for i in 0..<events.count where events.kind(i) == KindCode.unseenPrompt {
      guard isScreenOfExperiment[Int(events.code(i) >> HistoryBatch.contextShift)] != 0 else { continue }
      let arm = valueArms.arm(of: rows.rowNumbers[i], user)
      if arm >= 0, dates.contains(events.time(i)), exposures.meetsConditions(user, rows.rowNumbers[i]) {
        notAsked[arm] += 1
      }
      return
    }
  }

  mutating func finish(into sums: inout ArmSums) {
    sums.variants = question.armNames
    sums.forEachArm(arms.integers()) { sums.arms[$0] = $1 }
    for (variant, count) in zip(sums.variants, notAsked) where count > 0 {
      sums.notAsked[.init(variant: variant)] = count
    }
    for (variant, count) in zip(sums.variants, notDenied) where count > 0 {
      sums.notDenied[.init(variant: variant)] = count
    }
    for (variant, count) in zip(sums.variants, messageBefore) where count > 0 {
      sums.messageBefore[.init(variant: variant)] = count
    }
    (sums.journeys.row, sums.withoutMessage.row) = withMessages
    sums.exposedBefore.row = exposedBefore
    for (slot, day) in days.keys.enumerated() {
      sums.forEachArm(days.integers(slot: slot)) { sums.days[.init(day: DayNumber(day), arm: $0)] = $1 }
    }
    for (slot, code) in attributes.keys.enumerated() {
      let integers = attributes.integers(slot: slot)
      for (place, field) in ComparisonQuestion.checkedAttributes.enumerated() {
        let value = contexts.attributeValues[place][Int(contexts.attributes[code][place])]
        addStratum(field, value, integers, to: &sums)
      }
    }
    if let by = question.countedProperty {
      let values = exposures.values
      for (slot, code) in properties.keys.enumerated() {
        addStratum(by, values[code].first ?? [], properties.integers(slot: slot), to: &sums)
      }
    }
    sums.settled = SettledSums(settled, strata, sums.variants) { strata.values(of: $0, question, contexts) }
    let taken = times.take(slots: question.arms * 2)
    for (number, arm) in sums.armKeys.enumerated() {
      for series in TimeSeries.allCases {
        let counts = taken[number * TimeSeries.count + series.rawValue]
        if counts.cells > 0 { sums.times[.init(arm: arm, series: series)] = counts }
      }
    }
    sums.versions = versions.sums(question.selection, contexts)
  }

  /// A walk does not count to 2^62.
  private func addStratum(_ property: StringField, _ value: [UInt8], _ integers: [Int64], to sums: inout ArmSums) {
    sums.forEachArm(integers) { try? sums.strata.add($1, to: .init(property: property, value: value, arm: $0)) }
  }
}

// MARK: What one journey adds to the sums of a comparison

private struct JourneyMarks {
  var outcome: Outcome
  /// Followed to the end of the follow-up; granted by then.
  var isFollowed = false, isGrantedByThen = false
  /// Followed until it is known whether a grant was kept; and it was.
  var isKeepingKnown = false, isKept = false
  /// Day 7 is over; when the user was first active on it.
  var isPastDay7 = false
  var activeOnDay7 = Milliseconds.max
  /// After a Settings prompt: it is known whether it brought the user back, and whether it did; and whether it was followed.
  var isSettled = false, isEnabled = false, isOpened = false

  var isRetained: Bool { activeOnDay7 != .max }

  @inline(__always)
  func add(to counters: UnsafeMutablePointer<Int64>) {
    counters[ArmCounter.exposed.rawValue] += 1
    switch outcome {
    case .pending: counters[ArmCounter.pending.rawValue] += 1
    case .restricted: counters[ArmCounter.restricted.rawValue] += 1
    default:
      counters[ArmCounter.granted.rawValue + outcome.rawValue] += 1
      counters[ArmCounter.followUpEligible.rawValue] += isFollowed ? 1 : 0
      counters[ArmCounter.followUpGranted.rawValue] += isGrantedByThen ? 1 : 0
      counters[ArmCounter.keptEligible.rawValue] += isKeepingKnown ? 1 : 0
      counters[ArmCounter.kept.rawValue] += isKept ? 1 : 0
      counters[ArmCounter.retentionEligible.rawValue] += isPastDay7 ? 1 : 0
      counters[ArmCounter.retained.rawValue] += isRetained ? 1 : 0
      counters[ArmCounter.settingsOpened.rawValue] += isOpened ? 1 : 0
    }
    counters[ArmCounter.settingsEligible.rawValue] += isSettled ? 1 : 0
    counters[ArmCounter.settingsEnabled.rawValue] += isEnabled ? 1 : 0
  }
}

extension ArmFold {
  /// - Parameters:
  ///   - secondVariant: when another variant than the arm's was shown first; the end of time without one.
  ///   - exposure: number of the exposure among the user's events of permissions.
  private mutating func add(
    _ exposed: ExposedJourney, arm: Int, secondVariant: Milliseconds, exposure: Int, _ user: borrowing UserHistory
  ) {
    let isContaminated = secondVariant != .max
    let counters = arms.counters(of: arm, isContaminated: isContaminated)
    let day = dayCursor.day(of: exposed.start, in: question.zone)
    let code = user.hasAttributes ? user.attributes(exposure) : 0
    var marks = JourneyMarks(outcome: exposed.outcome)
    if let settings = exposed.settings {
      marks.isSettled = exposed.settled(windows) <= windows.asOf
      marks.isEnabled = marks.isSettled && settings.isEnabledAfterPrompt
      marks.isOpened = exposed.isInBase && settings.isOpened
    }
    if exposed.isInBase {
      if exposed.settings == nil { follow(exposed, &marks, counters, contaminated: isContaminated, arm) }
      if DayAfter.isOver(7, after: day, asOfDay: asOfDay) {
        marks.isPastDay7 = true
        marks.activeOnDay7 = firstActivity(on: day + 7, user, from: exposed.start)
      }
    }
    if exposed.isInBase || marks.isSettled {
      settle(
        exposed, marks, day: day,
        SettledTable.User(
          stratum: strata.stratum(of: code, period: periodStarts.count { $0 <= exposed.start }), arm: arm,
          leavingDay: isContaminated ? lookDays.day(knowing: secondVariant, in: question.zone) : nil))
    }
    marks.add(to: counters)
    marks.add(to: days.counters(of: Int(day), arm: arm, isContaminated: isContaminated))
    if user.hasAttributes {
      versions.add(code: code, day: day)
      let code = strata.checkedCode(code)
      marks.add(to: attributes.counters(of: code, arm: arm, isContaminated: isContaminated))
    }
    if countsProperty {
      let value = Int(exposures.code(user, exposure))
      marks.add(to: properties.counters(of: value, arm: arm, isContaminated: isContaminated))
    }
  }

  /// What screens are compared by alone: the answer's time, what follows within the follow-up, and later returns.
  @inline(__always)
  private mutating func follow(
    _ exposed: ExposedJourney, _ marks: inout JourneyMarks, _ counters: UnsafeMutablePointer<Int64>,
    contaminated isContaminated: Bool, _ arm: Int
  ) {
    let journey = exposed.journey
    if journey.isFollowed(windows) {
      marks.isFollowed = true
      marks.isGrantedByThen = journey.isGrantedByFollowUp(windows)
    }
    if exposed.start + windows.keeping <= windows.asOf {
      marks.isKeepingKnown = true
      marks.isKept = exposed.isKept
    }
    if journey.isAnswered, journey.isTimed, let series = TimeSeries(rawValue: journey.outcome.rawValue) {
      times.add(
        slot: ArmIndex.number(arm, isContaminated: isContaminated), series: series,
        time: journey.answerTime - journey.start)
    }
    if journey.outcome != .granted { addReturn(journey, counters) }
  }

  /// Counts a journey on the days by whose ends it counts for each metric.
  @inline(__always)
  private mutating func settle(
    _ exposed: ExposedJourney, _ marks: JourneyMarks, day: DayNumber, _ user: SettledTable.User
  ) {
    if marks.isSettled {
      let moment = lookDays.day(knowing: exposed.settled(windows), in: question.zone)
      let enabled = marks.isEnabled ? SettledCounts.place(of: .settingsEnabled) : nil
      settled.count(SettledCounts.place(of: .settingsEligible), enabled, on: moment, user)
    }
    guard exposed.isInBase else { return }
    let answered = lookDays.day(knowing: exposed.start &+ windows.response, in: question.zone)
    let opened = marks.isOpened ? SettledCounts.place(of: .settingsOpened) : nil
    settled.count(marks.outcome.rawValue, opened, on: answered, user)
    if marks.isFollowed {
      let followed = lookDays.day(knowing: exposed.start &+ windows.followUp, in: question.zone)
      settled.count(
        SettledCounts.place(of: .followUpEligible),
        marks.isGrantedByThen ? SettledCounts.place(of: .followUpGranted) : nil, on: max(answered, followed), user)
    }
    if marks.isKeepingKnown {
      let known = lookDays.day(knowing: exposed.start &+ windows.keeping, in: question.zone)
      let kept = marks.isKept ? SettledCounts.place(of: .kept) : nil
      settled.count(SettledCounts.place(of: .keptEligible), kept, on: known, user)
    }
    if marks.isPastDay7 {
      let past = max(answered, lookDays.firstDay(endingWith: day + 7, in: question.zone))
      let isKnown = marks.activeOnDay7 <= lookDays.end(of: day + 7, in: question.zone)
      let retained = SettledCounts.place(of: .retained)
      settled.count(SettledCounts.place(of: .retentionEligible), isKnown ? retained : nil, on: past, user)
      if marks.isRetained, !isKnown {
        // A day goes on after its end if clocks are set back over midnight.
        let known = lookDays.day(knowing: marks.activeOnDay7, in: question.zone)
        settled.count(retained, on: max(past, known), user)
      }
    }
  }

  /// Enabled later: whole days since the answer, to the enabling or to as_of.
  private mutating func addReturn(_ journey: JourneyFacts, _ counters: UnsafeMutablePointer<Int64>) {
    let (day, isEnabled) = journey.timeToReturn(windows)
    let start = ArmCounter.survival + (journey.outcome.rawValue - Outcome.denied.rawValue) * Survival.stride
    counters[start + Survival.place(day: day, isEnabled: isEnabled)] += 1
  }

  /// The first engagement of a user on a calendar day, which is after the day of an exposure; the end of time without one.
  private mutating func firstActivity(
    on day: DayNumber, _ user: borrowing UserHistory, from exposure: Milliseconds
  ) -> Milliseconds {
    // Clocks are changed by less than a day, so no later event can be on that day.
    let last = min(windows.asOf, exposure + 10 * millisecondsPerDay)
    let engagement = user.unsafeEngagement
    for i in 0..<user.engagementCount {
      let time = Milliseconds(engagement[i] >> 1)
      if time > last { return .max }
      if time >= exposure, dayCursor.day(of: time, in: question.zone) == day { return time }
    }
    return .max
  }
}
