// A sentence for each caution: what should be read with a decision.

import PermissionAnalysis
import PermissionEvents

extension Comparison {
  func sentence(_ caution: Caution, _ words: RemedyWords) -> String {
    switch caution {
    case .notAssigned: notAssignedSentence
    case .notAsPlanned(let observed, let p):
      "For one look, the users are not divided as planned (\(Sentence.ratio(observed)), chi-square p = \(Sentence.pValue(p))); the test "
        + "that holds at every look raises no alarm. Look into the assignment."
    case .notAsPlannedOnDays(let day, let others, let observed, let p):
      "On \(Sentence.date(day))\(others > 0 ? " and on \(Sentence.counted(others, "other day"))" : "") the users are not divided as "
        + "planned, for one look (\(Sentence.ratio(observed)), chi-square p = \(Sentence.pValue(p)) after Holm). Look into the "
        + "assignment of that day."
    case .notAsPlannedAmong(let property, let value, let p):
      "Among \(value.map { "\(property) \($0)" } ?? "exposures without \(property)") the users are not divided as planned "
        + "(p = \(Sentence.pValue(p))): the messages are compared on different users there."
    case .signTurnsWithin(let property):
      "By \(property) the sign turns round, by at least the smallest effect that matters: the total may mislead."
    case .signTurnsWithout(let difference):
      "Without the users who saw \(manyMessages) messages the difference has the other sign (\(Sentence.points(difference)) points)."
    case .answersMissing(let variant, let of):
      "Nobody of the \(Sentence.counted(of, "user")) of \(variant) granted, denied or skipped. Does the app log their answers? If not, nothing here is "
        + "true."
    case .answersAlone:
      "No screens are logged for \(permission): rates are of those who answered."
    case .notAsked(let a, let b):
      "Calls that returned at once showed no dialog: \(Sentence.counted(a, "user")) of \(self.a.variant) and \(grouped(b)) of \(self.b.variant) "
        + "had decided before, and are left out."
    case .notAskedDiffers(let shareA, let shareB, let p):
      "\(Sentence.percent(shareA)) of the users of \(a.variant) and \(Sentence.percent(shareB)) of \(b.variant) were not asked (p = "
        + "\(Sentence.pValue(p))): the message may decide who is asked, and then other users are compared."
    case .misread: CallSentences.misread
    case .contaminated(let share): "\(Sentence.percent(share)) of the users saw \(manyMessages) messages."
    case .exclusionUnbalances(let p):
      "Leaving them out unbalances the messages (sample ratio of those left: p = \(Sentence.pValue(p)))."
    case .contaminationAsymmetric(let p):
      "Who saw \(a.variant) first went on to another message more or less often than who saw \(b.variant) first "
        + "(p = \(Sentence.pValue(p))): leaving them out would leave different users."
    case .metricIsDescriptive:
      "Prompt grant rate: of those who answered the system's prompt\(isOfMessages ? ", whom the message has chosen" : ""); a description, "
        + "not an effect."
    case .looksOverrun: "There are more users than planned; those after the last look are left out of it."
    case .farBeyondPlan(let users, let planned):
      "\(grouped(users)) users under a plan for \(grouped(planned)): so far beyond it the interval is wide and the rule slow. Name "
        + "the planned number before the next \(isOfMessages ? "test" : "comparison")\(words(.plannedUsers))."
    case .planTooLate(let saved, let first):
      "The plan was saved on \(Sentence.date(saved)), after the first exposure on \(Sentence.date(first)): it fixes nothing beforehand. Error "
        + "is spent as without a plan (r = 1.5); only its planned number is kept."
    case .lateEvents(let atMost, let last):
      "Up to \(Sentence.counted(atMost, "event")) of days that had been looked at came in later, the last on \(Sentence.date(last)): \(Sentence.otherReading)"
    case .erased(let atMost, let last):
      "Up to \(Sentence.counted(atMost, "user")) of days that had been looked at were erased, the last on \(Sentence.date(last)): \(Sentence.otherReading)"
    case .expired(let before):
      "Events before \(Sentence.date(before)) were dropped: if exposures of this \(isOfMessages ? "experiment" : "comparison") were among them, \(Sentence.otherReading)"
    case .severalExperiments(let names):
      "The screens of \(names.count) experiments are counted together: \(Sentence.list(names, most: 12)). Choose one\(words(.chooseExperiment))."
    case .fewEvents:
      "There are few events, and exact tests decide. The interval shown beside them is wider than they are, and may still hold 0."
    case .adjustmentDisagrees:
      "The difference within the values of \(Sentence.list(monitoring.adjustedBy)) decides; over all users together it has the other "
        + "sign. The decision stays."
    case .severalMessages(let count, let confidence):
      "\(count) \(armNoun)s are compared with \(a.variant): intervals hold together at 95 %, each at \(Sentence.percent(confidence)). "
        + "The others are not compared with each other."
    }
  }
}
