// PostHog: batch export as JSON lines, and capture bodies.

extension Presets {
  static let posthog = """
    # PostHog: batch export as JSON lines (properties as an object or as a string), and capture bodies.
    record:
      form: json
      recognise:
        - [/event, /distinct_id, /timestamp]
        - [/event, /uuid, /properties]
        - [/event, /properties/distinct_id, /timestamp]
      # A batch export's list of files.
      companions:
        - [/files]
      event: /event
      # The device where the library names it, else the id as captured; $identify does not join two of them.
      user: [/properties/$device_id, /distinct_id, /properties/distinct_id]
      account: [/distinct_id, /properties/distinct_id, /properties/$device_id]
      time: {from: [/timestamp, /created_at], zone: UTC}
      # A uuid alone may belong to two different events.
      id: {derived_from: [/uuid, /event, time, /distinct_id], needs: /uuid}
      properties: [/properties]
    fields:
    \(indented(commonFields))
      # A feature flag as variant: add it in front, like [$feature/push_copy, variant].
      screen: [$screen_name, screen_name, screen, page]
      app_version: $app_version
      os_version: $os_version
      platform: $os
      locale: $locale
      country: $geoip_country_code
    \(ending("/event"))
    \(active(["Application Opened", "Application Became Active", "Application Installed", "Application Updated", "$screen",
      "$pageview", "Session Started", "session_start"],
      ignored: ["$identify", "$set", "$groupidentify", "$create_alias", "$merge_dangerously", "$feature_flag_called",
      "$pageleave", "Application Backgrounded"]))
    """
}
