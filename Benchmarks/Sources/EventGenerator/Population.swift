// The users: when they come and go, how keen they are, where they live, how fast they update. The only state that grows
// with the number of users; everything else that is asked about a user is computed from it.

/// One user, in 12 bytes.
struct Member {
  var joinDay: UInt16
  var lastDay: UInt16
  /// Latent engagement from 0 to 1, in 255ths. It drives visits, lifetime and the readiness to grant alike.
  var engagement: UInt8
  var country: UInt8
  var locale: UInt8
  /// Days between a release of the app and this user's update.
  var appUpdateLag: UInt8
  var osUpdateLag: UInt16

  var keenness: Double { Double(engagement) / 255 }
}

struct Population {
  let members: [Member]
  let days: Int
  private static let daysPerAppRelease = 25
  private static let daysPerOSRelease = 100

  /// `users` members over `days` days, the same ones for the same seed.
  init(users: Int, days: Int, seed: UInt64) {
    self.days = days
    let countryOfPart = Vocabulary.countries.indices.flatMap {
      Array(repeating: UInt8($0), count: Vocabulary.countries[$0].parts)
    }
    members = (0..<users).map { user in
      var random = RandomSource(seed: seed, stream: UInt64(user) << 1)
      // A fifth were there before logging began and show up within the first two weeks.
      let joinDay = random.chance(0.2) ? random.below(min(14, days)) : random.below(days)
      let keenness = random.uniform() * random.uniform()
      let lifetime = random.exponential(mean: 12 + 260 * keenness)
      let country = countryOfPart[random.below(countryOfPart.count)]
      let locale =
        random.chance(0.12) ? random.below(Vocabulary.locales.count) : Vocabulary.countries[Int(country)].locale
      return Member(
        joinDay: UInt16(joinDay),
        lastDay: UInt16(min(days - 1, joinDay + Int(min(lifetime, Double(days))))),
        engagement: UInt8(keenness * 255),
        country: country,
        locale: UInt8(locale),
        appUpdateLag: UInt8(min(200, random.exponential(mean: 9))),
        osUpdateLag: UInt16(min(600, random.exponential(mean: 70)))
      )
    }
  }

  /// Users by the day on which they join.
  func joinersByDay() -> [[UInt32]] {
    var joiners = [[UInt32]](repeating: [], count: days)
    for (user, member) in members.enumerated() { joiners[Int(member.joinDay)].append(UInt32(user)) }
    return joiners
  }

  /// How much of all engagement falls on each day: the keenness of the users who are there, and less at mid-week.
  func weightByDay() -> [Double] {
    var change = [Int](repeating: 0, count: days + 1)
    for member in members {
      change[Int(member.joinDay)] += Int(member.engagement) + 25
      change[Int(member.lastDay) + 1] -= Int(member.engagement) + 25
    }
    let weekday = [0.96, 0.94, 0.95, 0.97, 1.02, 1.10, 1.06]
    var present = 0
    return (0..<days).map { day in
      present += change[day]
      return Double(present) * weekday[day % 7]
    }
  }

  /// Index of the app version that `member` runs on `day`: the newest one at the join, later ones after the user's lag.
  func appVersion(of member: Member, on day: Int) -> Int {
    let seen = max(Int(member.joinDay), day - Int(member.appUpdateLag))
    return min(Vocabulary.appVersions.count - 1, seen / Self.daysPerAppRelease)
  }

  /// Index of the operating system's version; it never goes back.
  func osVersion(of member: Member, on day: Int) -> Int {
    min(
      Vocabulary.osVersions.count - 1,
      max(0, day + 2 * Self.daysPerOSRelease - Int(member.osUpdateLag)) / Self.daysPerOSRelease)
  }
}
