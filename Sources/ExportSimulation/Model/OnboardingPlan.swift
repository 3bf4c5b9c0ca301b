// The choices of a user that are made before anything happens. They are independent and each has few values, so the
// truth can be summed over all of them. The simulation draws one of each.

/// One user's choices, and what follows from them for the days and for the report's classes.
struct OnboardingPlan {
  /// Whether the user installed the app before the export begins; then there is no install event.
  var isOld: Bool
  var wait: Wait
  var habit: Habit
  var screen: OnboardingScreen
  var order: [Int]
  /// The group of the release.
  var group: Int

  /// Questions of the onboarding, by number of the permission, and the share of the users with this order.
  static let orders: [(order: [Int], share: Double)] = [([0, 1, 2], 0.60), ([1, 0, 2], 0.25), ([2, 0, 1], 0.15)]
  static let old = 0.15
  static let paywall = 0.20

  // MARK: Later

  /// The number of days after the onboarding at which a second sitting takes place.
  static let laterAfter = 6
  /// The shares of users who come back then, who are asked for the first permission that the onboarding did not reach,
  /// and who are asked for the camera.
  static let comesLater = 0.75
  static let askedLater = 0.80
  static let askedCamera = 0.60

  // MARK: Days, counted from the first of the export

  func askDay(joining day: Int) -> Int { spared(day + wait.days) }
  func laterDay(joining day: Int) -> Int { spared(askDay(joining: day) + Self.laterAfter) }

  /// Whether a report knows the 28 days before a question to an old user depends on the hour of the export's 29th day.
  /// So no old user is asked then.
  private func spared(_ day: Int) -> Int { isOld && day == 28 ? 29 : day }

  /// Whether the 28 days before a question are known: they are inside the export, or the install is.
  func isKnown(askedOn day: Int) -> Bool { !isOld || day > 28 }

  /// Days of use before the one of the onboarding, from the day of the install.
  var daysBefore: [Int] {
    let count = habit.daysBefore(wait)
    return (0..<count).map { $0 * wait.days / count }
  }

  /// Days of use between the onboarding and the later sitting follow it one by one.
  var daysBetween: Int { habit.daysBetween }

  // MARK: The history before a question

  /// - Parameter isLater: the second sitting; else the onboarding.
  func activeDays(isLater: Bool) -> Int { daysBefore.count + (isLater ? 1 + daysBetween : 0) }

  func features(isLater: Bool) -> Int {
    let visits = wait == .atOnce ? 0 : max(1, daysBefore.count)
    return habit.features * (visits + (isLater ? 1 + daysBetween : 0))
  }

  /// Factor of grants: those who have been there longer grant more, and so do those who use more.
  func willingness(isLater: Bool) -> Double {
    let wait = !isLater ? wait : wait.days + Self.laterAfter < 7 ? .days : .overAWeek
    return wait.factor * habit.factor
  }
}

extension OnboardingPlan {
  init(_ random: inout RandomSource) {
    /// One of some cases by their shares; the last takes what rounding leaves.
    func draw<Case>(_ cases: [Case], _ share: (Case) -> Double) -> Case {
      var rest = random.uniform()
      for one in cases.dropLast() {
        rest -= share(one)
        if rest < 0 { return one }
      }
      return cases[cases.count - 1]
    }
    isOld = random.chance(Self.old)
    wait = draw(Wait.allCases, \.share)
    habit = draw(Habit.allCases, \.share)
    screen = random.chance(Self.paywall) ? .paywall : .onboarding
    order = draw(Self.orders, \.share).order
    group = random.below(OnboardingRelease.groups)
  }

  /// All plans, and the share of the users of each.
  static var all: [(plan: OnboardingPlan, share: Double)] {
    var plans: [(OnboardingPlan, Double)] = []
    for (isOld, known) in [(false, 1 - old), (true, old)] {
      for wait in Wait.allCases {
        for habit in Habit.allCases {
          for (screen, shown) in [(OnboardingScreen.onboarding, 1 - paywall), (.paywall, paywall)] {
            for (order, ordered) in orders {
              for group in 0..<OnboardingRelease.groups {
                let plan = OnboardingPlan(
                  isOld: isOld, wait: wait, habit: habit, screen: screen, order: order, group: group)
                let share = known * wait.share * habit.share * shown * ordered / Double(OnboardingRelease.groups)
                plans.append((plan, share))
              }
            }
          }
        }
      }
    }
    return plans
  }
}

// MARK: How users of the onboarding answer a request for a permission, and what changes their answers

/// Probabilities of one asking. Every number is an assumption; docs/simulation.md lists them.
struct OnboardingPermission: Sendable {
  var name: String
  /// The app's explanation comes first, with "Not now" on it.
  var isExplained: Bool
  /// The app is closed under the question.
  var left = 0.05
  /// "Not now", of those who stay.
  var skipped = 0.0
  var restricted = 0.0
  /// Granted if the system asks, the device is not restricted and every factor is 1.
  var granted: Double
  /// How many times as often it is granted under the new release.
  var releaseFactor = 1.0
  /// Whether the time, the position in a flow and the previous answer have no influence.
  var isSteady = false

  static let all = [
    OnboardingPermission(name: "notifications", isExplained: true, skipped: 0.15, granted: 0.62, releaseFactor: 1.25),
    OnboardingPermission(name: "photo_library", isExplained: false, granted: 0.70),
    OnboardingPermission(name: "tracking", isExplained: true, skipped: 0.20, restricted: 0.20, granted: 0.45),
    // Asked for in context, later. The new release changes nothing here.
    OnboardingPermission(name: "camera", isExplained: false, left: 0.03, granted: 0.85, isSteady: true),
  ]

  /// The number of the permission that no onboarding asks for.
  static let camera = 3

  func shares(_ asking: OnboardingAsking) -> OutcomeShares {
    let left = min(0.95, self.left + (isSteady ? 0 : asking.screen.lost))
    let skipped = (1 - left) * self.skipped
    let asked = 1 - left - skipped
    let answered = asked * (1 - restricted)
    let granted = answered * min(0.97, self.granted * factor(asking))
    return OutcomeShares(
      granted: granted, denied: answered - granted, skipped: skipped, droppedOff: left, restricted: asked * restricted)
  }

  private func factor(_ asking: OnboardingAsking) -> Double {
    if isSteady { return 1 }
    let order = Self.positionFactors[min(asking.position, Self.positionFactors.count - 1)]
    let release = asking.version == OnboardingRelease.new ? releaseFactor : 1
    return order * (asking.before == .denied ? Self.afterDenial : 1) * asking.willingness * release
  }

  /// The order effect: grants of the first, second and third question of a flow, and of one right after a denial.
  private static let positionFactors = [1, 0.92, 0.85]
  private static let afterDenial = 0.60
}

// MARK: One question of the onboarding, with all that its outcome depends on

struct OnboardingAsking {
  var permission: Int
  var screen: OnboardingScreen
  var version: Int
  /// Position in the flow, from 0.
  var position = 0
  /// The step before in the same flow.
  var before: AskOutcome?
  /// Factor of the time that the user has been there, and of the user's habit.
  var willingness: Double

  var shares: OutcomeShares { OnboardingPermission.all[permission].shares(self) }
}

// MARK: The release that comes in the middle of the export

enum OnboardingRelease {
  static let versions = ["3.1", "3.2"]
  static let new = 1

  /// A quarter of the users gets it on its day, a quarter each of the three weeks after it, new users too.
  static let groups = 4

  /// - Parameters:
  ///   - day: of the export, which has `days`. The release is in the middle.
  ///   - group: the user's, from 0.
  static func version(on day: Int, of days: Int, group: Int) -> Int { day >= days / 2 + 7 * group ? new : 0 }
}

// MARK: The screens on which the onboarding's app asks; one of them loses people

enum OnboardingScreen: Int, CaseIterable {
  case onboarding, paywall
  /// Of questions that come later.
  case profile, scanner

  var name: String { ["onboarding", "paywall", "profile", "scanner"][rawValue] }

  /// How many more close the app under the question.
  var lost: Double { self == .paywall ? 0.30 : 0 }
}
