// What holds of every export of the onboarding.

import Foundation
import PermissionEvents
import Testing

@testable import ExportSimulation

@Suite struct OnboardingTests {
  /// The bytes of a small export of each format: they must be the same on every platform, and data/ is made of them.
  @Test(
    arguments: [
      (.ndjson, 0xF98F_9300_524B_E9E6), (.csv, 0x030F_1023_43B3_FEDA), (.amplitude, 0x2524_EF71_BC1F_5198),
      (.mixpanel, 0x74A3_B3F3_0A8C_6CA3), (.segment, 0xA16C_BFC1_312A_EEB0), (.ga4, 0xF2C0_44BB_1BAA_BC04),
      (.posthog, 0xEB28_4159_E743_7E85), (.snowplow, 0xD5C7_D97A_AF5A_CE3B),
    ] as [(SimulatedFormat, UInt64)])
  func bytesAreThoseOfTheLastRelease(format: SimulatedFormat, checksum: UInt64) throws {
    let found = try Simulated(.onboarding(users: 200, seed: 3, weeks: 6), format).checksum
    #expect(found == checksum, "\(format): 0x\(String(found, radix: 16))")
  }

  /// The name under which each vendor knows an install, once for each user who has one.
  @Test(
    arguments: [
      (.ndjson, "\"event\":\"app_installed\""), (.csv, ",app_installed,"),
      (.amplitude, "\"event_type\":\"[Amplitude] Application Installed\""),
      (.mixpanel, "\"event\":\"$ae_first_open\""), (.segment, "\"event\":\"Application Installed\""),
      (.ga4, "\"event_name\":\"first_open\""), (.posthog, "\"event\":\"Application Installed\""),
      (.snowplow, "com.snowplowanalytics.mobile\tapplication_install\tjsonschema\t1-0-0"),
    ] as [(SimulatedFormat, String)])
  func everyVendorNamesTheInstall(format: SimulatedFormat, name: String) throws {
    let installed = try Simulated(.onboarding(), .csv).lines.count { $0.contains(",app_installed,") }
    let lines = try Simulated(.onboarding(), format).lines
    #expect(installed > 200 && lines.count { $0.contains(name) } == installed)
    if format == .snowplow {
      for line in lines {
        #expect(line.split(separator: "\t", omittingEmptySubsequences: false).count == 131)
        #expect(line.contains(name) == line.contains("iglu:com.snowplowanalytics.mobile/application_install/"))
      }
    }
  }

  @Test func aUserIsInstalledOnceAndFirstOrNotAtAll() throws {
    let users = Onboarded(.onboarding(users: 2000)).users
    let installed = users.filter { $0.first?.kind == .appInstalled }
    #expect(users.count == 2000)
    #expect(users.allSatisfy { $0.dropFirst().allSatisfy { $0.kind != .appInstalled } })
    // 85 %, within 4.5 standard errors.
    #expect(abs(installed.count - 1700) < 72, "\(installed.count)")
    #expect(installed.allSatisfy { $0.first?.permission == SimulatedEvent.absent })
  }

  /// A sitting ends on its day with the windows of its answers, so that nothing is pending at the end; times of a user all differ and grow.
  @Test func sittingsEndOnTheirDay() {
    let options = SimulationOptions.onboarding(users: 3000, weeks: 5)
    for user in Onboarded(options).users {
      #expect(zip(user, user.dropFirst()).allSatisfy { $0.time < $1.time })
      for event in user {
        #expect(event.time < options.end - 1_800_000)
        let ofDay = event.time - floorDivide(event.time, millisecondsPerDay) * millisecondsPerDay
        #expect(!event.kind.isScreen || ofDay < millisecondsPerDay - 1_800_000)
      }
    }
  }

  @Test func questionsHaveAPlaceAndAVersion() throws {
    var surfaces = Set<String>()
    var versions = Set<String>()
    for row in try Simulated(.onboarding(users: 500, weeks: 12)).objects() {
      let isQuestion = ["explanation_shown", "prompt_shown"].contains(row["event"] as? String)
      #expect(!isQuestion || row["surface"] != nil)
      if let surface = row["surface"] as? String { surfaces.insert(surface) }
      versions.insert(try #require(row["app_version"] as? String))
    }
    #expect(surfaces == ["onboarding", "paywall", "profile", "scanner"])
    #expect(versions == ["3.1", "3.2"])
  }

  @Test func sharesAddUpToOne() {
    #expect(abs(OnboardingPlan.all.reduce(0) { $0 + $1.share } - 1) < 1e-12)
    for permission in OnboardingPermission.all.indices {
      for screen in OnboardingScreen.allCases {
        for before in AskOutcome.allCases.map(Optional.some) + [nil] {
          let shares = OnboardingAsking(
            permission: permission, screen: screen, version: 1, position: before == nil ? 0 : 2, before: before,
            willingness: 1.32
          ).shares
          #expect(abs(AskOutcome.allCases.reduce(0) { $0 + shares[$1] } - 1) < 1e-12)
          #expect(AskOutcome.allCases.allSatisfy { shares[$0] >= 0 })
        }
      }
    }
  }
}

/// The events of an onboarding's users, each once and in the order in which they happened, as they are before they are written.
struct Onboarded {
  private(set) var users: [[SimulatedEvent]] = []

  init(_ options: SimulationOptions) {
    let calendar = JoinCalendar(options)
    var simulation = UserSimulation(options)
    for day in 0..<options.days {
      for number in calendar.users(on: day) {
        let block = EventBlock()
        _ = simulation.simulate(number: number, slot: 0, joins: day, into: block)
        var events: [SimulatedEvent] = []
        for place in 0..<block.count where Int(block[place].serial) == events.count { events.append(block[place]) }
        users.append(events)
      }
    }
  }
}

extension SimulationOptions {
  static func onboarding(
    users: Int = 300, seed: UInt64 = 5, weeks: Int = 6, firstDay: DayNumber = 20_094
  ) -> SimulationOptions {
    SimulationOptions(users: users, seed: seed, weeks: weeks, firstDay: firstDay, population: .onboarding)
  }
}
