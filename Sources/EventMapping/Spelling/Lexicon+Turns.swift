// Words that turn what is beside them, or say that it was so before, may come, or is something else. A name with one of them
// is left unread, unless the whole phrase is an entry of its own (`not_granted`).

extension Lexicon {
  mutating func addTurns() {
    add(
      """
      not never no_longer cannot can_not cant can_t nt dont don_t don doesnt doesn_t didnt didn_t isnt isn_t wasnt wasn_t
      arent arent werent wont won_t wouldnt couldnt shouldnt hasnt hasn_t havent hadnt aint neither nor nobody none nothing
      non un dis without lacking lack lacks missing absent absence except instead unless until unable barely hardly
      scarcely unlikely impossible refusal withheld prevented prevent prevents stopped undo undone reverted revert reset
      removed remove cleared withdrew lost invalid null nil undefined nope void hide hidden suppressed suppress
      fails fail failed failing failure error errors errored exception crash crashed timeout timed_out timedout expired
      unavailable unsupported not_supported unknown uncertain unclear
      turn_off turns_off turning_off switch_off disable disables disabling revoke revokes withdraw withdraws unsubscribe mute
      mutes denying denial denials declining refusing rejecting skipping revoking disabling blocking gave_up give_up off
      inactive rescinded lapsed until silence silences block blocks stop stops pause pauses lose loses delete deletes opt_out optout ban anti minus
      inverse inverted negative opposite zero postpone postpones delay delays abort aborts avoid quit w_o nah nay
      de mis neg negated contrary reverse reversed counter delayed defer defers paused muted exit exits leave leaves abandon
      abandons avoided hides bypass bypassed unexpected brak ani yok khong nee nix
      nej degil hayir tidak bukan jangan
      nicht kein keine keinen ohne nie niemals nein pas jamais sans aucun aucune ne nunca sin ningun tampoco senza mai
      nessun nessuna nao sem nem nunca jamas niet geen zonder inte ikke ei nie bez
      """, .negator)
    add(
      """
      already previously previous earlier before existing formerly had was_already current currently prior initial last still
      once is status_check status_is
      """, .earlier)
    add(
      """
      will would should could might may can maybe perhaps if whether try tries tried trying attempt attempted attempting
      about_to going_to want wants wanted need needs needed must expected expect assume assumed pretend fake mock mocked
      dummy simulated simulate hypothetical pending waiting awaiting scheduled almost nearly partially except but or
      unless either versus vs question rate ratio percent percentage count total number_of
      pseudo rarely seldom shall wish wishes hope hopes hoped planned plans ever yet initially defaults defaults_to suppose
      supposed half semi
      to_be expects predicted inferred presumed assumes default test testing debug by_app by_system automatically auto
      toggle toggles toggled switch option options days since time times time_to timestamp duration seconds minutes hours
      friend friends child children partner family group groups member members guest others peer peers invitation
      precise accuracy precise_location full_accuracy temporary temporarily critical
      email e_mail emails sms whatsapp telegram slack discord newsletter marketing promo promotional promotions gdpr cookie
      cookies consent terms privacy_policy
      git docker delivered received sent sending send scheduled_notification
      """, .doubt)
    add("in_app inapp", .doubt)
    // Part of a phrase that is read as a whole.
    add("if_denied if_granted", .doubt)
  }

  /// Messages inside the app: a primer there is one, but what it switches is the app's own.
  static let inApp: Set<String> = ["in_app", "inapp"]
}
