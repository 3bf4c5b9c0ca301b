// GA4 and Firebase: rows of the BigQuery export as JSON.

extension Presets {
  static let ga4 = """
    # GA4 / Firebase: rows of the BigQuery export as JSON, in either dialect, one a line or as an array.
    record:
      form: json
      recognise: [/event_name, /event_timestamp]
      event: /event_name
      # The app instance. null where consent was refused.
      user: [/user_pseudo_id, /user_id]
      account: [/user_id, /user_pseudo_id]
      time: {from: /event_timestamp, unit: microseconds}
      # The export has no id. Without the batch fields of newer exports, two equal events of one microsecond and one
      # upload are taken for one.
      id: {derived_from: [/user_pseudo_id, /event_timestamp, /event_name, /event_bundle_sequence_id, /batch_event_index, /batch_page_id, /batch_ordering_id]}
      properties: [/event_params]
    fields:
    \(indented(commonFields))
      screen: [firebase_screen, screen_name, firebase_screen_class, screen_class]
      app_version: /app_info/version
      os_version: /device/operating_system_version
      platform: /platform
      locale: /device/language
      country: /geo/country
    \(ending("/event_name"))
    \(active(["session_start", "first_open", "user_engagement", "screen_view", "app_update", "os_update"],
      ignored: ["app_remove", "app_exception", "app_clear_data"]))
    """
}
