// Words of yes, no and not now. Opposites come in pairs, so that whoever adds a word for no adds the one for yes: an app
// whose denials are known and whose approvals are not would be reported as refused by all.

import PermissionEvents

extension Lexicon {
  /// Words for yes and their opposites, in the past and in the present.
  static let opposites: [(yes: String, no: String)] = [
    ("granted", "denied not_granted"),
    ("grant grants", "deny denies do_not_grant dont_grant"),
    ("allowed", "disallowed not_allowed didnt_allow did_not_allow"),
    ("allow allows", "disallow dont_allow don_t_allow do_not_allow doesnt_allow does_not_allow"),
    ("accepted", "declined rejected refused turned_down blocked not_accepted didnt_accept did_not_accept"),
    ("accept accepts", "decline declines reject rejects refuse refuses dont_accept do_not_accept"),
    ("approved", "disapproved not_approved"),
    ("approve approves", "disapprove disapproves"),
    ("authorized authorised", "unauthorized unauthorised not_authorized not_authorised"),
    ("authorize authorise", "dont_authorize do_not_authorize"),
    ("permitted", "forbidden prohibited not_permitted"),
    ("permit", "forbid"),
    ("agreed", "disagreed not_agreed"),
    ("agree", "disagree"),
    ("confirmed", "not_confirmed"),
    ("confirm", "dont_confirm"),
    ("enabled", "not_enabled"),
    ("sharing_authorized", "sharing_denied"),
    ("opted_in", "opted_out"),
    ("allow_tracking", "ask_app_not_to_track ask_not_to_track do_not_track dont_track"),
  ]

  /// What was switched off later, beside its opposite.
  static let switches: [(on: String, off: String)] = [
    ("subscribed", "unsubscribed"), ("turned_on", "turned_off"), ("enabled", "disabled"),
    ("re_enabled", "revoked withdrawn"),
    ("activate", "deactivated"), ("switch_on", "switched_off"),
  ]

  mutating func addAnswers() {
    for (yes, no) in Self.opposites {
      add(yes, .yes)
      add(no, .no)
    }
    for answer in ["granted", "allowed", "authorized", "accepted", "approved", "permitted"] {
      add("wasnt_\(answer) isnt_\(answer) hasnt_been_\(answer) not_been_\(answer)", .no)
    }
    add("yes true", [.yes, .boolean])
    add("no false", [.no, .boolean, .determiner])
    add(
      """
      grant grants allow allows accept accepts approve approves authorize authorise permit agree confirm allow_tracking
      deny denies disallow decline declines reject rejects refuse refuses forbid enable enables turn_on switch_on activate
      """, .call)
    add(
      """
      grant grants allow allows accept accepts approve approves authorize authorise permit agree confirm allow_tracking
      deny denies disallow dont_allow don_t_allow do_not_allow decline declines reject rejects refuse refuses forbid disagree
      disapprove ask_app_not_to_track ask_not_to_track do_not_track enable enables turn_on switch_on activate
      """, .button)
    add("enable enables turn_on switch_on activate", .yes)
    add("subscribed", .yes)
    add("dont_enable do_not_enable", .no)
    for (_, off) in Self.switches { add(off, .revoked) }
    add(
      """
      re_enabled reenabled enabled_later turned_on enabled_in_settings enabled_from_settings enabled_via_settings
      granted_in_settings granted_from_settings granted_via_settings regranted re_granted turned_on_in_settings switched_on
      turned_back_on allowed_in_settings authorized_in_settings
      """, .reEnabled)
    add(
      """
      granted denied not_granted authorized authorised not_authorized unauthorized allowed not_allowed disallowed
      """, .plain)
    add(
      """
      blocked opted_out rejected refused declined enabled opted_in subscribed accepted approved disabled
      turned_off unsubscribed withdrawn turned_on re_enabled reenabled enabled_in_settings enabled_from_settings
      granted_in_settings granted_from_settings
      """, .switched)
    add("revoked", .plain)
    // What holds for a yes holds for its no.
    for (yes, no) in Self.opposites {
      for traits in [Traits.plain, .switched]
      where wordList(yes).contains(where: { self[$0]?.traits.contains(traits) == true }) {
        add(no, traits)
      }
    }
    add(
      """
      skipped skip skips later not_now maybe_later dismissed dismiss dismisses closed close cancelled canceled cancel
      ignored ignore snoozed snooze deferred postponed no_thanks no_thank_you remind_me_later ask_me_later ask_later not_yet next_time
      do_later do_it_later swiped_away backed_out abandoned not_interested
      """, .skip)
    add("closed", .answer)
    addStatuses()
  }

  /// What the system reports, if it says more than yes or no.
  private mutating func addStatuses() {
    add("limited authorized_limited granted_limited", .yes, status: .limited)
    add("provisional provisionally", .yes, status: .provisional)
    add("ephemeral", .yes, status: .ephemeral)
    add("full_access", .yes, status: .fullAccess)
    add("write_only", .yes, status: .writeOnly)
    add(
      """
      when_in_use authorized_when_in_use while_using while_in_use while_using_app while_using_the_app
      allow_while_using_app allow_while_using_the_app granted_when_in_use
      """, .yes, status: .whenInUse)
    add("always authorized_always granted_always always_allow allow_always", .yes, status: .always)
    add("restricted", .no, status: .restricted)
    add("not_determined undetermined not_asked", .skip, status: .notDetermined)
    add("never_ask_again permanently_denied denied_permanently denied_forever", .no, status: .denied)
  }
}
