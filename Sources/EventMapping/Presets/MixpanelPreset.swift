// Mixpanel: raw export, in seconds or milliseconds.

import PermissionEvents

extension Presets {
  static let mixpanel = """
    # Mixpanel: raw export. One JSON object a line.
    record:
      form: json
      recognise: [/event, /properties/time]
      # Other vendors' events may have a property named time; Mixpanel's have no more than event and properties.
      unless: [/messageId, /anonymousId, /uuid, /distinct_id, /timestamp]
      event: /event
      user:
        - /properties/$device_id
        - {from: /properties/distinct_id, without: "$device:"}
        - /properties/$user_id
      account:
        - /properties/$user_id
        - {from: /properties/distinct_id, without: "$device:"}
        - /properties/$device_id
      # Seconds, or milliseconds where the export was asked for with time_in_ms=true: told by the size of the number.
      # Projects from before 2023 wrote the wall clock of the project: give its zone\(Remedy.nameProjectZone.advice).
      time: {from: /properties/time, zone: project}
      # Raw exports are not deduplicated. Mixpanel's key, with the time in whole seconds, so that both kinds of export
      # give the same id.
      id: {derived_from: [/event, /properties/distinct_id, time_in_seconds, /properties/$insert_id], needs: /properties/$insert_id}
      properties: [/properties]
    fields:
    \(indented(commonFields))
      screen: [screen_name, screen, current_page_title, page]
      app_version: [$app_version_string, $app_version]
      os_version: $os_version
      platform: $os
      locale: [locale, $locale]
      country: [mp_country_code, $country_code]
    \(ending("/event"))
    \(active(["$ae_session", "$ae_first_open", "$session_start", "$app_open", "$mp_web_page_view", "App Open", "App Session",
      "App Opened", "Application Opened", "app_open", "app_opened", "session_start"],
      ignored: ["$identify", "$create_alias", "$merge", "Application Backgrounded"]))
    """
}
