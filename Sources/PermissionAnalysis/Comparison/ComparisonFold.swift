// Folds users' histories into the sums of a comparison.

import Buffers
import Folding
import PermissionEvents

package struct ComparisonFold: Fold, ~Copyable {
  private let question: ComparisonQuestion
  private let contexts: HistoryContexts
  /// By the messages that screens, or Settings prompts, show.
  private var shown: ArmFold
  /// By the variants that users were given; nil if the log has no assignments to the experiment.
  private var assigned: ArmFold?
  /// By context what its events are to the question.
  private let roles: Buffer<UInt8>
  /// By context the arm of an assignment; -1 for a variant that is not compared.
  private let armOfContext: Buffer<Int32>
  private let isAlone: Bool
  private let permission: PermissionCode
  private var rows = JourneyRows()
  private var assignments: [Assignment] = []
  private var assignedUsers: [AssignmentKey: AssignmentCounts] = [:]
  private var mismatched: Int64 = 0
  private var evidence: EvidenceTable
  private var days = DayCursor()
  /// The kinds that show messages, one bit each.
  private let showing: UInt32
  /// Events of the permission that show messages, by context.
  private let screens: Buffer<Int64>
  /// Answers of it by context, if its screens are compared.
  private let answers: Buffer<Int64>
  /// By context 1 if users were assigned with it; only without a name of an experiment.
  private let given: Buffer<Int64>
  /// Counts only what does not depend on the messages.
  private let isOfAllUsers: Bool

  private enum Role {
    static let target: UInt8 = 1
    static let assignment: UInt8 = 2
    static let otherAssignment: UInt8 = 3
    /// Another permission. It matters only whether Settings were opened.
    static let otherPermission: UInt8 = 4
  }

  private struct AssignmentKey: Hashable {
    var day: DayNumber
    var arm: Int
  }

  package init(_ question: ComparisonQuestion, contexts: HistoryContexts) {
    self.init(question, contexts: contexts, isOfAllUsers: false)
  }

  /// A fold that counts only what all comparisons of this permission and screen have in common: evidence, and screens and answers
  /// with any message.
  init(ofAllUsers question: ComparisonQuestion, contexts: HistoryContexts) {
    self.init(question, contexts: contexts, isOfAllUsers: true)
  }

  private init(_ question: ComparisonQuestion, contexts: HistoryContexts, isOfAllUsers: Bool) {
    self.question = question
    self.isOfAllUsers = isOfAllUsers
    self.contexts = contexts
    let permission = contexts.permissionCode(question.permission)
    self.permission = PermissionCode(rawValue: permission)
    isAlone = permission < UInt32(contexts.permissions.count) && contexts.isAnsweredAlone(permission)
    let experiment = question.experiment.map { contexts.experimentCode($0) }
    let names = question.armNames
    var roles = Buffer<UInt8>()
    var armOfContext = Buffer<Int32>()
    var hasAssignments = false
    for context in contexts.contexts {
      // Without a name of an experiment those are noted in which users were assigned.
      let mayAssign =
        question.looksAtAssignments && context.permission == 0 && context.variant != 0 && context.experiment != 0
      let isAssignment = mayAssign && context.experiment == experiment
      hasAssignments = hasAssignments || isAssignment
      let isNoted = mayAssign && experiment == nil
      let isOther = question.screen == .settings && context.permission != 0
      roles.append(
        context.permission == permission
          ? Role.target
          : isAssignment ? Role.assignment : isNoted ? Role.otherAssignment : isOther ? Role.otherPermission : 0)
      let variant =
        contexts.variants.indices.contains(Int(context.variant)) ? contexts.variants[Int(context.variant)] : []
      let arm = question.variants == nil ? 0 : names.firstIndex(of: variant) ?? -1
      armOfContext.append(Int32(isAssignment ? arm : -1))
    }
    self.roles = roles
    self.armOfContext = armOfContext
    showing = (question.screen == .settings ? KindSet.settingsPrompts : isAlone ? .results : .screens).bits
    shown = ArmFold(question, contexts: contexts)
    assigned = hasAssignments ? ArmFold(question, contexts: contexts) : nil
    evidence = EvidenceTable(permissions: contexts.permissions.count)
    screens = Buffer(repeating: 0, count: contexts.contexts.count)
    answers = Buffer(repeating: 0, count: contexts.contexts.count)
    given = Buffer(repeating: 0, count: contexts.contexts.count)
  }

  package mutating func fold(_ user: borrowing UserHistory, into sums: inout ComparisonSums) {
    let roles = roles.unsafeAddress
    let asOf = question.windows.asOf
    let times = user.unsafeTimes
    let codes = user.unsafeCodes
    let isOfSettings = question.screen == .settings
    var hasOpened = false
    evidence.add(.activity, user.engagementCount > 0 && Milliseconds(user.unsafeEngagement[0] >> 1) <= asOf)
    rows.removeAll()
    assignments.removeAll(keepingCapacity: true)
    for i in 0..<user.eventCount {
      let code = codes[i]
      let context = Int(code >> HistoryBatch.contextShift)
      guard roles[context] != 0 else { continue }
      if times[i] > asOf { break }
      hasOpened = hasOpened || isOfSettings && code & 15 == UInt32(KindCode.settingsOpened)
      guard roles[context] == Role.target else {
        guard code & 15 == UInt32(KindCode.assigned) else { continue }
        if roles[context] == Role.assignment {
          assignments.append(Assignment(time: times[i], arm: Int(armOfContext[context])))
        } else {
          given[context] = 1
        }
        continue
      }
      screens[context] &+= showing >> (code & 15) & 1 != 0 ? 1 : 0
      answers[context] &+= !isOfSettings && KindSet.results.contains(code) ? 1 : 0
      rows.append(time: times[i], code: code, row: i)
    }
    evidence.add(.settingsOpened, hasOpened)
    let events = rows.events
    var arm = -1
    if events.count > 0 {
      evidence.add(events, permission: permission.rawValue)
      addEvidence(events)
      if isOfAllUsers { return }
      arm = shown.fold(rows, user)
    }
    if isOfAllUsers { return }
    if let first = assignments.first, first.arm >= 0 { fold(first, shownArm: arm, user) }
  }

  /// Counts a user who was given a variant of the arms first.
  private mutating func fold(_ first: Assignment, shownArm: Int, _ user: borrowing UserHistory) {
    let second = assignments.first { $0.arm >= 0 && $0.arm != first.arm }
    guard first.time < question.dates.upperBound else { return }
    let exposure = assigned?.fold(rows, user, given: first, second: second?.time ?? .max) ?? .never
    guard exposure != .beforeTest else { return }
    // Who was given a variant earlier, and saw no message, takes part from the first day on.
    let time = max(first.time, question.from ?? first.time)
    let key = AssignmentKey(day: days.day(of: time, in: question.zone), arm: first.arm)
    assignedUsers[key, default: AssignmentCounts()].add(exposure, seesSeveral: second != nil)
    if shownArm >= 0, shownArm != first.arm { mismatched += 1 }
  }

  /// Evidence is that of the whole journey, whatever messages are compared, as in a report. Few journeys bring it.
  private mutating func addEvidence(_ events: EventList) {
    let hasDenial = events.kinds >> UInt32(KindCode.denied) & 1 != 0
    let isUndecided = events.next(.decisions, from: 0) == events.end
    guard hasDenial || isUndecided && events.next(.checks, from: 0) < events.end else { return }
    let exposure = events.exposure(isAlone: isAlone)
    guard exposure < events.end else { return }
    let journey = JourneyFacts(events, exposure: exposure, permission: permission, windows: question.windows)
    let isEnabled = hasDenial && journey.outcome == .denied && journey.enabledTime != .max
    evidence.add(.enabledAfterDenial, isEnabled, permission: permission.rawValue)
    evidence.add(.answers, isUndecided && journey.isByStatus, permission: permission.rawValue)
  }

  package mutating func finish(into sums: inout ComparisonSums) {
    shown.finish(into: &sums.shown)
    // Other kinds may carry the experiment without a permission, too.
    if !assignedUsers.isEmpty { assigned?.finish(into: &sums.assigned.arms) }
    for (key, counts) in assignedUsers {
      sums.assignments[.init(day: key.day, variant: .init(variant: question.armNames[key.arm]))] = counts
    }
    sums.mismatched.row = mismatched
    sums.evidence = evidence.sums(permissions: contexts.permissions)
    addScreens(to: &sums)
  }

  /// Adds the screens of the arms' messages, and those of the experiment.
  private func addScreens(to sums: inout ComparisonSums) {
    guard question.isOfMessages else { return }
    let names = question.armNames.compactMap(\.self)
    let experiment = question.experiment.map { Array($0.utf8) }
    func name(_ code: UInt32, _ all: [[UInt8]]) -> [UInt8] { all.indices.contains(Int(code)) ? all[Int(code)] : [] }
    for (number, context) in contexts.contexts.enumerated() where given[number] != 0 {
      let variant = name(context.variant, contexts.variants)
      guard names.contains(variant) else { continue }
      sums.givenExperiments[.init(variant: variant, experiment: name(context.experiment, contexts.experiments))] = 1
    }
    for (number, context) in contexts.contexts.enumerated() where context.variant != 0 {
      sums.answersWithMessage.row &+= answers[number]
    }
    for (number, context) in contexts.contexts.enumerated() where screens[number] > 0 {
      let ofContext = name(context.experiment, contexts.experiments)
      // A walk does not count to 2^62.
      if context.variant != 0 { sums.screensWithMessage.row &+= screens[number] }
      if context.variant != 0, ofContext == experiment { sums.screensOfExperiment.row &+= screens[number] }
      let variant = name(context.variant, contexts.variants)
      guard names.contains(variant) else { continue }
      try? sums.screens.add(screens[number], to: .init(variant: variant, experiment: ofContext))
    }
  }
}

/// A variant that a user was given.
struct Assignment {
  var time: Milliseconds
  /// -1 for a variant that is not compared.
  var arm: Int
}

/// Whether a user who was given a variant saw a screen of the permission from then on.
enum AssignedExposure {
  case exposed
  /// All screens were before.
  case before
  /// The first screen from then on was before the first day of the test.
  case beforeTest
  case never
}
