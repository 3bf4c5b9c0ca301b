// One user's life in the app, from the install to the end of the export: on which days the app is opened, and what
// happens then. Users are independent of one another; each has random numbers of its own, keyed by the seed and the number.

import PermissionEvents

struct UserSimulation {
  let options: SimulationOptions
  let models = PermissionModel.all
  let levels = EngagementLevel.all
  let answerTimes = LogNormalTable(sigma: 0.6)
  let screenTimes = LogNormalTable(sigma: 0.7)
  let pauses = LogNormalTable(sigma: 0.8)
  let releases: Int

  // Of the user at hand.
  var random: RandomSource
  var user: SimulatedUser
  var states: [PermissionState] = []
  var slot: UInt32 = 0
  var serial: UInt32 = 0
  var joined = 0
  var today = 0
  /// Number of the app's version on the day's visits.
  var appVersion: UInt8 = 0
  /// Number of the place at which the app asks, if it is not that of the permission.
  var screen: UInt8?
  /// The time of the next event; moves on with everything that happens.
  var clock: Milliseconds = 0

  init(_ options: SimulationOptions) {
    self.options = options
    releases = options.population.appVersions(days: options.days).count
    random = RandomSource(seed: options.seed, stream: 0)
    user = SimulatedUser(&random)
  }

  /// Appends all events of a user who installs the app on a day.
  /// - Parameter slot: the user's place in the block.
  mutating func simulate(number: Int, slot: UInt32, joins day: Int, into block: EventBlock) -> SimulatedUser {
    random = RandomSource(seed: options.seed, stream: UInt64(number) &+ 1)
    user = SimulatedUser(&random)
    states.removeAll(keepingCapacity: true)
    for _ in options.population.permissions { states.append(PermissionState()) }
    if options.decided(before: number + 1) > options.decided(before: number) { decideBefore() }
    self.slot = slot
    serial = 0
    joined = day
    switch options.population {
    case .everyday: live(from: day, into: block)
    case .onboarding: beOnboarded(joins: day, into: block)
    }
    return user
  }

  /// Opens the app on the day of the install, and on other days as long as the user stays.
  private mutating func live(from day: Int, into block: EventBlock) {
    let level = levels[user.level]
    visit(on: day, into: block)
    var day = day + 1
    while day < options.days, random.chance(level.staying) {
      if random.chance(level.visiting[weekdayIndex(options.firstDay + Int64(day))]) { visit(on: day, into: block) }
      day += 1
    }
  }

  /// A visit: the app comes to the front, permissions are asked for or looked at, features are used. What happened is
  /// sent afterwards.
  private mutating func visit(on day: Int, into block: EventBlock) {
    today = day
    appVersion = user.appVersion(on: day, joined: joined, releases: releases)
    clock = (options.firstDay + Int64(day)) * millisecondsPerDay + timeOfDay()
    let first = block.count
    add(.appActive, into: block)
    for permission in models.indices { meet(permission, into: block) }
    let usingMore = levels[user.level].usingMore
    var features = 0
    while features < EngagementLevel.mostFeatures, random.chance(usingMore) {
      pause(seconds: 12, cap: 60)
      // The lower of two draws: some features are used far more than others.
      let count = AppVocabulary.features.count
      add(.featureUsed, feature: UInt8(min(random.below(count), random.below(count))), into: block)
      features += 1
    }
    if random.chance(0.06) {
      let permission = random.below(models.count)
      clock += 900
      add(.statusChecked, permission, status: states[permission].status, into: block)
    }
    send(from: first, block)
  }

  /// Milliseconds into the UTC day: mostly in the afternoon and evening of the user's country, and never in the last hour
  /// before midnight UTC, so that a visit and the response windows that begin in it end on the day on which they began.
  mutating func timeOfDay() -> Milliseconds {
    let local = 7 + 17 * (random.uniform() + random.uniform() + random.uniform()) / 3
    let hour = local - Double(AppVocabulary.countries[user.country].hours)
    let ofDay = hour >= 24 ? hour - 24 : hour < 0 ? hour + 24 : hour
    return 1 + Milliseconds(ofDay * (23.0 / 24) * 3_600_000)
  }

  /// Lets time pass: log-normal seconds, at most `cap`.
  mutating func pause(seconds: Double, cap: Double) {
    clock += 300 + Milliseconds(1000 * min(cap, pauses.draw(median: seconds, &random)))
  }

  /// An event at the clock's time. Times of one user's events all differ.
  @inline(__always)
  mutating func add(
    _ kind: EventKind, _ permission: Int? = nil, status: AuthorizationStatus = .none,
    message: SimulatedEvent.Message = .none, feature: UInt8 = SimulatedEvent.absent, into block: EventBlock
  ) {
    let permission = permission.map { UInt8(truncatingIfNeeded: $0) } ?? SimulatedEvent.absent
    block.append(
      SimulatedEvent(
        time: clock, user: slot, serial: serial, kind: kind, status: status, permission: permission, message: message,
        surface: SimulatedEvent.hasSurface(kind) ? screen ?? permission : SimulatedEvent.absent, feature: feature,
        appVersion: appVersion, osVersion: user.osVersion(on: today)))
    serial += 1
    clock += 1
  }
}
