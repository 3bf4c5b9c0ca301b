// The title of each check, and what to do about it.

import PermissionAnalysis

extension AuditCheck {
  /// Completes "found:".
  var title: String {
    switch self {
    case .coldAsk: "asked without an explanation"
    case .askedAtOnce: "asked right at the start"
    case .severalAtOnce: "several permissions at once"
    case .askedAfterNotNow: "asked in spite of \"Not now\""
    case .askedAfterDenial: "asked again after a denial"
    case .pestering: "asked too often"
    case .noWayBack: "no way back after a denial"
    case .settingsPromptIgnored: "Settings prompts without effect"
    case .notRechecked: "status not checked after an update"
    case .partialLeft: "partial access left as it is"
    case .askedWithoutDialog: "asked when no dialog is shown"
    case .contradictedAnswers: "denials that the status contradicts"
    case .answersWithoutScreens: "answers without a screen"
    case .oneSidedAnswers: "answers of one kind only"
    case .noActivity: "no activity events"
    case .sharedID: "ids that many installs share"
    case .feedStopped: "events that stopped coming"
    case .clockAhead: "clocks that are ahead"
    case .manyConflicts: "events that came again changed"
    case .identityChanges: "ids that change within a session"
    case .loggedTogether: "prompt and answer logged together"
    case .missingPurpose: "purpose string missing"
    case .unusedPurpose: "purpose string without a use"
    case .weakPurpose: "weak purpose string"
    case .deprecatedKey: "outdated key"
    case .missingTranslation: "purpose string not translated"
    }
  }

  var advice: String {
    switch self {
    case .coldAsk:
      "Show a screen of your own first that says what the user gets, and call the system from it. If there is one already, log it as explanation_shown."
    case .askedAtOnce:
      "Ask when the user reaches the feature that needs it, unless the app cannot do anything without it."
    case .severalAtOnce: "Spread the questions out: ask for each permission where it is first needed."
    case .askedAfterNotNow:
      "Respect \"Not now\": wait for another session, and for a moment at which the user wants the feature."
    case .askedAfterDenial:
      "Look at the status before you ask, and show a way to Settings if it is off. If no prompt was shown, do not log one."
    case .pestering:
      "Ask less often: keep the date of the last question, and wait for weeks or for the user to reach for the feature."
    case .noWayBack:
      "When a user who denied reaches for the feature, say what is off and offer to open Settings. If the app does so already, log settings_prompt_shown."
    case .settingsPromptIgnored:
      "Say on the prompt what the user gains and which switch to turn, and show it only when the feature is wanted. Check that settings_opened is logged."
    case .notRechecked:
      "Look at the status at the first launch of a new version, as users change it in Settings, and log status_checked."
    case .partialLeft:
      "Show what is limited, and offer more when the user reaches for it: another prompt where the system has one, else Settings. Leave it alone if the app needs no more."
    case .askedWithoutDialog:
      "Look at the status first, and ask only if it is not determined. Log prompt_shown just before such a call alone; log status_checked if you only look."
    case .contradictedAnswers:
      "Log the answer in the completion handler, and look at the status again when the app comes to the front: the call may return while the dialog is up."
    case .loggedTogether:
      "Log prompt_shown before the call, and the answer in its completion handler: else nobody knows how long people take, or whether a dialog was shown."
    case .answersWithoutScreens:
      "Log prompt_shown just before the system is called, and explanation_shown for your own screen."
    case .oneSidedAnswers: "Check that both answers are logged and mapped: a whole side of the answers is rarely true."
    case .noActivity:
      "Log app_active when the app comes to the front: without it there is no retention and no engagement."
    case .sharedID: "Give each install an id of its own, and remove the shared ones from the log: they are no users."
    case .feedStopped:
      "Ask whether this was meant. If not, look at the release of that day, its names of events, and the export."
    case .clockAhead: "Take the time from the server, or correct it by the server's answer; look for a wrong time zone."
    case .manyConflicts: "Give each event an id of its own when it is made, and send it again unchanged."
    case .identityChanges:
      "Export the event that links the two ids too, like $identify, or name an id that stays the same (user: in a mapping)."
    case .missingPurpose:
      "Add the key with a sentence that says what the app does with the access. If the project keeps it in its build settings, give the built app's Info.plist."
    case .unusedPurpose: "Remove the key if the app does not ask, or log prompt_shown if it does."
    case .weakPurpose: "Say in one sentence what the app does with the access, with an example."
    case .deprecatedKey:
      "Add the newer key if it is not there; keep the old one only if the app runs on systems that need it."
    case .missingTranslation:
      "Translate it in InfoPlist.strings or InfoPlist.xcstrings: else users read it in another language."
    }
  }
}
