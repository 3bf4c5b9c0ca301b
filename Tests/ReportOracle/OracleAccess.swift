// What an authorization status means for a permission.

/// "Partial access: status `limited`, `provisional`, `ephemeral`, `write_only` (except for `calendars_write_only`),
/// or `when_in_use` for `location_always`."
func isPartial(status: String?, permission: String) -> Bool {
  switch status {
  case "limited", "provisional", "ephemeral": true
  case "write_only": permission != "calendars_write_only"
  case "when_in_use": permission == "location_always"
  default: false
  }
}

/// A status that means on, whole: there has to be a status, and it is neither partial nor a refusal.
///
/// Reading: `authorized full_access always`, `when_in_use` except for `location_always`, and `write_only` only for
/// `calendars_write_only`.
func isOn(status: String?, permission: String) -> Bool {
  switch status {
  case "authorized", "full_access", "always": true
  case "when_in_use": permission != "location_always"
  case "write_only": permission == "calendars_write_only"
  default: false
  }
}
