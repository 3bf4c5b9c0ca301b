// One day after another: who joins, what was planned, who visits, in which order it arrives.

struct DaySweep {
  private(set) var summary: GeneratorSummary
  private let population: Population
  private let planner = JourneyPlanner()
  private let joiners: [[UInt32]]
  /// Running totals of distinct events that should have happened by the end of each day.
  private let quota: [Int]
  private let duplicates: Int
  private let seed: UInt64
  private let days: Int
  private var random: RandomSource
  private var serial: UInt64 = 0
  /// Distinct events so far.
  private var made = 0
  private var planned: [[Event]]
  /// Users that may visit; those that have left are taken out when they are next drawn.
  private var present: [UInt32] = []
  private var arrivals: [Arrival] = []
  private var lateArrivals: [Arrival] = []

  /// An event and when the server received it (ms since the first day's midnight).
  private struct Arrival {
    let time: Int64
    let event: Event
  }

  init(settings: EventGenerator) {
    population = Population(users: settings.users, days: settings.days, seed: settings.seed)
    joiners = population.joinersByDay()
    planned = [[Event]](repeating: [], count: settings.days)
    seed = settings.seed
    days = settings.days
    random = RandomSource(seed: settings.seed, stream: UInt64.max)
    duplicates = Int((Double(settings.events) * EventGenerator.duplicateShare).rounded())
    let distinct = settings.events - duplicates
    let weights = population.weightByDay()
    let total = max(weights.reduce(0, +), 1)
    var sum = 0.0
    quota = weights.indices.map { day in
      sum += weights[day]
      return day == weights.count - 1 ? distinct : min(distinct, Int(Double(distinct) * (sum / total)))
    }
    summary = GeneratorSummary(users: settings.users)
  }

  /// Makes the events of `day` and writes those that arrive by its end.
  mutating func run(day: Int, writer: inout LineWriter) throws {
    swap(&arrivals, &lateArrivals)
    for user in joiners[day] { join(user, on: day) }
    let room = max(0, quota[days - 1] - made)
    var today = Array(planned[day].prefix(room))
    planned[day] = []
    made += today.count
    while made < quota[day], visit(on: day, into: &today) {}
    addArrivals(of: &today, on: day)
    try write(day: day, writer: &writer)
  }

  /// Writes what arrives after the last day.
  mutating func finish(writer: inout LineWriter) throws {
    swap(&arrivals, &lateArrivals)
    try write(day: days, writer: &writer)
  }

  private mutating func join(_ user: UInt32, on day: Int) {
    let member = population.members[Int(user)]
    var own = RandomSource(seed: seed, stream: UInt64(user) << 1 | UInt64(1) << 62)
    let joinTime = Int64(day) * Event.millisecondsPerDay + timeOfDay(member, &own)
    let end = Int64(member.lastDay + 1) * Event.millisecondsPerDay
    planner.plan(user: user, keenness: member.keenness, joinTime: joinTime, end: end, random: &own) { event in
      planned[event.day].append(event)
    }
    present.append(user)
  }

  /// One user's visit: the app comes to the front, and some features are used. False if nobody is left to visit.
  private mutating func visit(on day: Int, into events: inout [Event]) -> Bool {
    guard let user = visitor(on: day) else { return false }
    let member = population.members[Int(user)]
    var time = Int64(day) * Event.millisecondsPerDay + timeOfDay(member, &random)
    let end = Int64(day + 1) * Event.millisecondsPerDay
    var kind = Kind.appActive
    repeat {
      var event = Event(time: time, serial: 0, user: user, kind: kind)
      if kind == .featureUsed {
        // The lower of two draws: some features are used far more than others.
        event.feature = UInt8(min(random.below(Vocabulary.features.count), random.below(Vocabulary.features.count)))
        if random.chance(0.25) { event.surface = UInt8(random.below(Vocabulary.surfaces.count)) }
      }
      events.append(event)
      made += 1
      summary.engagement += 1
      kind = .featureUsed
      time += Int64(1_000 * random.logNormal(median: 25, sigma: 0.9))
    } while made < quota[day] && time < end && random.chance(0.70)
    return true
  }

  /// A user who is still there, drawn with odds that grow with engagement.
  private mutating func visitor(on day: Int) -> UInt32? {
    while !present.isEmpty {
      let index = random.below(present.count)
      let member = population.members[Int(present[index])]
      if Int(member.lastDay) < day, present.count > 1 || day < days - 1 {
        present.swapAt(index, present.count - 1)
        present.removeLast()
      } else if random.chance(0.1 + 0.9 * member.keenness) {
        return present[index]
      }
    }
    return nil
  }

  /// Milliseconds into the UTC day: most visits fall into the afternoon and evening of the user's country.
  private func timeOfDay(_ member: Member, _ random: inout RandomSource) -> Int64 {
    let offset = Vocabulary.countries[Int(member.country)].utcOffset
    let local = 8.0 + 16 * (random.uniform() + random.uniform() + random.uniform()) / 3
    let hour = (local - Double(offset) + 24).truncatingRemainder(dividingBy: 24)
    return min(Int64(hour * 3_600_000), Event.millisecondsPerDay - 1)
  }

  private mutating func addArrivals(of events: inout [Event], on day: Int) {
    for index in events.indices {
      events[index].serial = serial
      serial += 1
      arrive(events[index], after: delay())
    }
    let due = quota[days - 1] == 0 ? 0 : made * duplicates / quota[days - 1]
    while summary.duplicates < due, !events.isEmpty {
      arrive(events[random.below(events.count)], after: delay() + Int64(3_600_000 * 6 * random.uniform()))
      summary.duplicates += 1
    }
  }

  private mutating func arrive(_ event: Event, after delay: Int64) {
    let time = event.time + delay
    if time < Int64(event.day + 1) * Event.millisecondsPerDay {
      arrivals.append(Arrival(time: time, event: event))
    } else {
      lateArrivals.append(Arrival(time: time, event: event))
    }
  }

  /// How long an event stays on the device: seconds as a rule, minutes if the app was in the background, and up to
  /// six hours without a network.
  private mutating func delay() -> Int64 {
    let draw = random.uniform()
    if draw < 0.70 { return Int64(60_000 * random.uniform()) }
    if draw < 0.95 { return Int64(900_000 * random.uniform()) }
    return Int64(6 * 3_600_000 * random.uniform())
  }

  private mutating func write(day: Int, writer: inout LineWriter) throws {
    // The index makes the order total, so that no sort, however it treats equals, changes the bytes.
    let order = arrivals.indices.sorted {
      (arrivals[$0].time, $0) < (arrivals[$1].time, $1)
    }
    for index in order {
      let event = arrivals[index].event
      let member = population.members[Int(event.user)]
      try writer.append(
        event, member: member, appVersion: population.appVersion(of: member, on: event.day),
        osVersion: population.osVersion(of: member, on: event.day))
    }
    summary.lines += arrivals.count
    arrivals.removeAll(keepingCapacity: true)
  }
}
