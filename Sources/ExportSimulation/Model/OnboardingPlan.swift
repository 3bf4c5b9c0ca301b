// What is settled of a user before anything happens: independent choices, each with few possibilities, so that the truth can be
// summed over all of them. The draw takes one of each.

/// One user's choices, and what follows from them for the days and for the report's classes.
struct OnboardingPlan {
  /// Installed before the export begins: there is no event of it.
  var isOld: Bool
  var wait: Wait
  var habit: Habit
  /// Where the onboarding asks.
  var screen: OnboardingScreen
  var order: [Int]
  /// The group of the release.
  var group: Int

  /// Questions of the onboarding, by number of the permission, and the share of the users with this order.
  static let orders: [(order: [Int], share: Double)] = [([0, 1, 2], 0.60), ([1, 0, 2], 0.25), ([2, 0, 1], 0.15)]
  static let old = 0.15
  static let paywall = 0.20

  // MARK: Later

  /// A second sitting, so many days after the onboarding.
  static let laterAfter = 6
  /// The user comes, is asked for the first permission that the onboarding did not come to, and for the camera.
  static let comesLater = 0.75
  static let askedLater = 0.80
  static let askedCamera = 0.60

  // MARK: Days, counted from the first of the export

  func askDay(joining day: Int) -> Int { spared(day + wait.days) }
  func laterDay(joining day: Int) -> Int { spared(askDay(joining: day) + Self.laterAfter) }

  /// Whether a report knows the 28 days before a question to an old user depends on the hour of the export's 29th day:
  /// nobody of them is asked then.
  private func spared(_ day: Int) -> Int { isOld && day == 28 ? 29 : day }

  /// The 28 days before a question are known: they lie inside the export, or the install does.
  func isKnown(askedOn day: Int) -> Bool { !isOld || day > 28 }

  /// Days of use before the one of the onboarding, from the day of the install.
  var daysBefore: [Int] {
    let count = habit.daysBefore(wait)
    return (0..<count).map { $0 * wait.days / count }
  }

  /// Days of use between the onboarding and the later sitting follow it one by one.
  var daysBetween: Int { habit.daysBetween }

  // MARK: What is before a question

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
