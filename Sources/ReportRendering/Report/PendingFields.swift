// Stand-ins until the analysis has them.

import PermissionAnalysis
import PermissionEvents

struct PendingAge {
  var newest, clock: Milliseconds
  var daysOld: Int
}

enum PendingEvidence: Hashable { case activity, featureUsed, enabledLater, revoked, settingsOpened }

extension Report { var age: PendingAge? { nil } }
extension ReportRow { var noEvidence: [PendingEvidence] { [] } }
