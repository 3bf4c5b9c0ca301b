// The words of each check: its one declaration for people, as `AuditCheck.facts` is the one for counting.

import PermissionAnalysis

struct AuditWords {
  /// Completes "found:".
  let title: String
  /// What a finding of no permission is of.
  let subject: String
  let sentence: Sentence
  /// The names of the two groups next to their grant rates: with the finding and without it. Nil without a cost.
  let groups: (with: String, without: String)?
  let advice: String
  /// A page of Apple's guidelines or documentation. Nil if docs/audit.md explains the check.
  let reference: String?

  init(
    _ title: String, of subject: String = "all", _ sentence: Sentence, groups: (with: String, without: String)? = nil,
    advice: String, reference: String? = nil
  ) {
    (self.title, self.subject, self.sentence, self.groups) = (title, subject, sentence, groups)
    (self.advice, self.reference) = (advice, reference)
  }

  struct Sentence {
    /// Of a finding, without its permission.
    let text: (AuditFinding) -> String
    /// The heading of a list of shares. Nil if each finding needs its own sentence.
    let list: String?

    static func words(_ text: @escaping (AuditFinding) -> String, list: String? = nil) -> Sentence {
      Sentence(text: text, list: list)
    }

    /// `62.0 % of the users asked saw no explanation (1 240 of 2 000).`, and for a list `Of the users asked, who saw no explanation:`
    static func share(of group: String, _ did: String, then: String = "") -> Sentence {
      share(of: group, did, then: then, list: "Of \(group), the share who \(did)\(then):")
    }

    static func share(of group: String, _ did: String, then: String = "", list: String?) -> Sentence {
      Sentence(text: { "\($0.shareText) of \(group) \(did) (\($0.countsText))\(then)." }, list: list)
    }

    static var purpose: Sentence {
      .words { finding in
        if case .purpose(let purpose) = finding.detail { AuditPurposes.sentence(purpose) } else { "" }
      }
    }
  }

  enum Apple {
    static let site = "https://developer.apple.com/"
    static let privacy = site + "design/human-interface-guidelines/privacy"
    static let review = site + "app-store/review/guidelines/#privacy"
    static let protected = site + "documentation/uikit/requesting-access-to-protected-resources"
  }
}

extension AuditCheck {
  var words: AuditWords {
    switch self {
    case .coldAsk:
      AuditWords(
        "asked without an explanation",
        .share(of: "the users asked", "saw the system's prompt without an explanation first"),
        groups: ("without an explanation", "with one"),
        advice:
          "Show a screen of your own first that says what the user gets, and call the system from it. If there is one already, log it as explanation_shown.",
        reference: AuditWords.Apple.privacy)
    case .askedAtOnce:
      AuditWords(
        "asked right at the start",
        .words(
          {
            "\($0.shareText) of the users with a known install or first event were asked within 60\u{A0}s of it "
              + "(\($0.countsText))."
          },
          list: "Of the users with a known install or first event, the share asked within 60\u{A0}s of it:"),
        groups: ("at once", "later"),
        advice: "Ask when the user reaches the feature that needs it, unless the app cannot do anything without it.",
        reference: AuditWords.Apple.privacy)
    case .severalAtOnce:
      AuditWords(
        "several permissions at once", of: "all permissions",
        .share(
          of: "the users asked for three permissions or more", "were asked for three of them within 60\u{A0}s"),
        groups: ("at once", "otherwise"),
        advice: "Spread the questions out: ask for each permission where it is first needed.",
        reference: AuditWords.Apple.privacy)
    case .askedAfterNotNow:
      AuditWords(
        "asked despite \"Not now\"",
        .share(
          of: "the users who answered \"Not now\"", "still saw the system's prompt within 30\u{A0}min"),
        advice: "Respect \"Not now\": wait for another session and a moment when the user wants the feature.",
        reference: AuditWords.Apple.review)
    case .askedAfterDenial:
      AuditWords(
        "asked again after a denial",
        .share(
          of: "the users with the permission off", "were sent to the system's prompt again",
          then: ", which the system no longer shows"),
        advice:
          "Check the status before you ask. If the permission is off, offer a way to Settings. "
          + "If the system showed no prompt, do not log one.",
        reference: AuditWords.Apple.protected)
    case .pestering:
      AuditWords(
        "asked too often",
        .share(
          of: "the users asked", "were asked four times or more within 7\u{A0}days, Settings prompts included"),
        advice:
          "Ask less often: store the date of the last ask, and wait for weeks or until the user wants the feature.",
        reference: AuditWords.Apple.review)
    case .noWayBack:
      AuditWords(
        "no way back after a denial", .share(of: "the users who denied it", "saw no Settings prompt after that"),
        advice:
          "When a user who denied tries to use the feature, say what is off and offer to open Settings. If the app "
          + "does so already, log settings_prompt_shown.",
        reference: AuditWords.Apple.site + "documentation/uikit/uiapplication/opensettingsurlstring")
    case .settingsPromptIgnored:
      AuditWords(
        "Settings prompts without effect",
        .share(
          of: "the users who saw a Settings prompt after a denial", "did not open Settings within 30\u{A0}min"),
        advice:
          "Say what the user gains and which switch to turn on. Show the prompt only when the user wants the feature. "
          + "Check that settings_opened is logged."
      )
    case .notRechecked:
      AuditWords(
        "status not checked after an update",
        .share(
          of: "the users who answered before an update of the app",
          "had no status check within a day of it",
          list:
            "Of the users who answered before an update of the app, the share without a status check within a day of it:"
        ),
        advice:
          "Check the status at the first launch of a new version, because users change it in Settings. Log status_checked."
      )
    case .partialLeft:
      AuditWords(
        "partial access left as it is",
        .words(
          {
            "\($0.shareText) of the users who granted \(partialAccess($0.permission).name) were left with it for 28\u{A0}days: no screen, no Settings prompt, no upgrade (\($0.countsText))."
          },
          list:
            "Of the users who granted partial access, the share left with it for 28\u{A0}days: no screen, no "
            + "Settings prompt, no upgrade:"
        ),
        advice:
          "Show what is limited, and offer more when the user needs it: another prompt if the system has one, else Settings. "
          + "If the app needs no more, leave it as it is."
      )
    case .askedWithoutDialog:
      AuditWords(
        "asked when no dialog is shown",
        .words {
          "\($0.shareText) of the answered prompts\(AuditSentences.platform($0)) returned at once (\($0.countsText)): no dialog was shown."
        },
        advice:
          "Check the status first, and ask only if it is not determined. Log prompt_shown only just before such a call; "
          + "log status_checked if you only check."
      )
    case .contradictedAnswers:
      AuditWords(
        "denials that the status contradicts",
        .share(
          of: "the users who denied", "had the permission on within 60\u{A0}s",
          then: ": the app did not wait for the answer", list: nil),
        advice:
          "Log the answer in the completion handler, and check the status again when the app comes to the front: "
          + "the call may return while the dialog is still up."
      )
    case .mostOnlyPick:
      AuditWords(
        "most only use the picker",
        .share(
          of: "the users who chose something or gave access", "only used the system's picker, which needs no permission"
        ),
        advice:
          "Ask for nothing where the picker is enough, and for the permission only where a feature cannot do without it.",
        reference: AuditWords.Apple.privacy)
    case .answersWithoutScreens:
      AuditWords(
        "answers without a screen",
        .share(
          of: "the users with a screen or an answer", "have an answer but no screen before it",
          then: ": they are in no rate",
          list:
            "Of the users with a screen or an answer, the share with an answer but no screen before it; they are in no rate:"
        ),
        advice: "Log prompt_shown just before the system is called, and explanation_shown for your own screen.")
    case .oneSidedAnswers:
      AuditWords(
        "answers of one kind only", .words(AuditSentences.answers),
        advice: "Check that both grants and denials are logged and mapped: answers of only one kind are rarely real.")
    case .noActivity:
      AuditWords(
        "no activity events", of: "the log", .words { _ in "The log has no app_active and no feature_used events." },
        advice: "Log app_active when the app comes to the front: without it there is no retention and no engagement.")
    case .sharedID:
      AuditWords(
        "ids that many installs share", of: "all users", .words(AuditSentences.shared),
        advice: "Give each install an id of its own, and remove the shared ones from the log: they are not users.")
    case .feedStopped:
      AuditWords(
        "events that stopped coming", of: "the log", .words(AuditSentences.stopped),
        advice:
          "Ask whether this was intended. If not, check the release of that day, its event names and the export.")
    case .unusualIngest:
      AuditWords(
        "ingests unlike those before", of: "the log", .words(AuditSentences.unusual),
        advice:
          "Compare the export with an earlier one. If it is wrong, take the newest ingest back, or read the files again with a mapping."
      )
    case .eventsMissing:
      AuditWords(
        "numbered events that are missing", of: "the log", .words(AuditSentences.missing),
        advice:
          "See whether an export or a day is missing, or whether the export leaves events out. If not, look at how that version "
          + "sends its events when the app ends or has no network.")
    case .clockAhead:
      AuditWords(
        "clocks that are ahead", of: "all events",
        .share(of: "the new events", "had a time ahead of the clock when they were read"),
        advice: "Take the time from the server, or correct it with the server's response. Check for a wrong time zone.")
    case .manyConflicts:
      AuditWords(
        "events that came again changed", of: "all events",
        .share(of: "the events read", "had come before with other content", then: "; one of each is kept"),
        advice: "Give each event its own id when it is created, and resend it unchanged.")
    case .identityChanges:
      AuditWords(
        "ids that change within a session", of: "all sessions",
        .words {
          "In \($0.shareText) of the sessions the user's id changed, and no event links the ids (\($0.countsText)): one person counts as two."
        },
        advice:
          "Also export the event that links the two ids, such as $identify, or name an id that stays the same (user: "
          + "in a mapping)."
      )
    case .loggedTogether:
      AuditWords(
        "prompt and answer logged together",
        .words {
          "Prompts\(AuditSentences.platform($0)) are logged together with their answers, so we cannot tell how long "
            + "people take or whether a dialog was shown."
        },
        advice:
          "Log prompt_shown before the call, and the answer in its completion handler: "
          + "otherwise we cannot tell how long people take or whether a dialog was shown."
      )
    case .assignedLate:
      AuditWords(
        "assigned after they were asked",
        .words {
          "\($0.shareText) of the users assigned to a variant of \(AuditSentences.experiment($0)) (\($0.countsText)) had been asked before. "
            + "If the experiment chooses this message, they saw the default."
        },
        advice:
          "If it does, fetch the variant before the first screen. A comparison counts these users only from their next screen on."
      )
    case .variantMismatch:
      AuditWords(
        "another variant than assigned",
        .words {
          "\($0.shareText) of the users with \(AuditSentences.experiment($0)) on their screens (\($0.countsText)) saw another variant "
            + "than they were assigned to."
        },
        advice: "Write on the screen's event the variant that is shown, and ask the tool once per user."
      )
    case .wrongVariant:
      AuditWords(
        "another variant than the rule gives", of: "the log", .words(AuditSentences.rule),
        advice:
          "Look in this version for code that chooses the variant itself, or changes the install's id. Leave its users out of a comparison."
      )
    case .missingPurpose:
      AuditWords(
        "purpose string missing", of: "Info.plist", .purpose,
        advice:
          "Add the key with a sentence that says what the app does with the access.",
        reference: AuditWords.Apple.protected)
    case .notKnown:
      AuditWords(
        "purpose string perhaps missing", of: "Info.plist", .purpose,
        advice: "Give the built app, like App.app, or make the file that is not there, as with pod install.")
    case .mayAsk:
      AuditWords(
        "purpose string perhaps needed", of: "Info.plist", .purpose,
        advice: "If the app asks here, add the key. If it only reads a status, nothing is missing.",
        reference: AuditWords.Apple.protected)
    case .unusedPurpose:
      AuditWords(
        "purpose string without a use", of: "Info.plist", .purpose,
        advice: "Remove the key if the app does not ask, or log prompt_shown if it does.")
    case .notInCode:
      AuditWords(
        "asked in the log, but not in the code", of: "code", .words(AuditCalls.notInCode),
        advice:
          "Look for the call in a library or package, or in a folder that was not read. Else the log names another permission than the app asks for."
      )
    case .notLogged:
      AuditWords(
        "asked in the code, but not in the log", of: "code", .words(AuditCalls.notLogged),
        advice: "Log prompt_shown before this call and the answer after it, or remove code that is not used.")
    case .weakPurpose:
      AuditWords(
        "weak purpose string", of: "Info.plist", .purpose,
        advice: "Say in one sentence what the app does with the access, with an example.",
        reference: AuditWords.Apple.site + "videos/play/tech-talks/110152/")
    case .deprecatedKey:
      AuditWords(
        "outdated key", of: "Info.plist", .purpose,
        advice: "Add the newer key if it is missing; keep the old one only if the app runs on systems that need it.")
    case .missingTranslation:
      AuditWords(
        "purpose string not translated", of: "Info.plist", .purpose,
        advice: "Translate it in InfoPlist.strings or InfoPlist.xcstrings: otherwise users read it in another language."
      )
    }
  }
}

/// What a grant in part is called, and Apple's page about it.
private func partialAccess(_ permission: String?) -> (name: String, page: String?) {
  let docs = AuditWords.Apple.site + "documentation/"
  return switch permission {
  case "photo_library":
    ("limited access", docs + "photokit/delivering-an-enhanced-privacy-experience-in-your-photos-app")
  case "contacts": ("limited access", nil)
  case "calendars": ("write-only access", docs + "eventkit/accessing-the-event-store")
  case "notifications":
    ("provisional access", docs + "usernotifications/asking-permission-to-use-notifications")
  case "location_always":
    ("access while using the app", docs + "corelocation/requesting-authorization-to-use-location-services")
  default: ("partial access", nil)
  }
}

extension AuditFinding {
  /// An address of the web, or a section of a file of this project.
  var reference: String {
    let page = check == .partialLeft ? partialAccess(permission).page : check.words.reference
    return page ?? "docs/audit.md#" + check.rawValue
  }
}
