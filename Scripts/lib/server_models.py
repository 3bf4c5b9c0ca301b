"""What analytics libraries for iOS do with each answer, as their sources of 2026 have it: which answers make them delete what they
recorded. A model is its form of a batch and its rule; `deleted` must stay empty."""

import json


class Model:
    """A queue of batches. An event is its user: each event of a run has a user of its own."""

    path = ""
    headers = {"Content-Type": "application/json"}

    def __init__(self, users):
        self.batches = list(users)
        self.safe, self.deleted = [], []
        self.failures = 0

    def body(self, batch):
        raise NotImplementedError

    def answered(self, batch, status, text, retry_after):
        """Takes the answer to a batch; `status` is None without one. Returns whether to go on with the next batch."""
        raise NotImplementedError

    def told_safe(self, batch):
        self.safe += batch
        self.failures = 0
        return True

    def delete(self, events):
        self.deleted += events
        return True


class Segment(Model):
    """analytics-swift 1.9: deletes on 400 alone; everything else is kept without bound."""

    path = "/v1/b"

    def body(self, batch):
        events = [
            json.dumps(
                {
                    "type": "track",
                    "event": "Push Permission Granted",
                    "messageId": f"m-{user}",
                    "anonymousId": user,
                    "timestamp": "2026-11-20T10:00:00.000Z",
                    "properties": {},
                }
            )
            for user in batch
        ]
        return '{ "batch": [\n' + ",\n".join(events) + '\n],"sentAt":"2026-11-20T10:00:01.000Z","writeKey":"wk"}'

    def answered(self, batch, status, text, retry_after):
        if status is not None and status < 300:
            return self.told_safe(batch)
        return self.delete(batch) if status == 400 else False


class Rudder(Segment):
    """rudder-sdk-swift 1.3: deletes on 400 and 413; 401 and 404 end it, so that nothing more is ever sent."""

    path = "/v1/batch"
    headers = {**Model.headers, "Authorization": "Basic d2s6", "AnonymousId": "x"}

    def answered(self, batch, status, text, retry_after):
        if status in (400, 401, 404, 413):
            return self.delete(batch)
        return super().answered(batch, status, text, retry_after)


class PostHog(Model):
    """posthog-ios 3.69: deletes a batch on any other 4xx; the fourth failure in a row deletes the whole queue."""

    path = "/batch"

    def body(self, batch):
        events = [
            {
                "event": "push_permission_granted",
                "distinct_id": user,
                "uuid": f"0199aaaa-0000-7000-8000-{abs(hash(user)) % 16**12:012x}",
                "timestamp": "2026-11-20T10:00:00.000Z",
                "properties": {"$lib": "posthog-ios"},
            }
            for user in batch
        ]
        return json.dumps({"api_key": "wk", "batch": events, "sent_at": "2026-11-20T10:00:01.000Z"})

    def answered(self, batch, status, text, retry_after):
        if status is not None and status < 300:
            return self.told_safe(batch)
        if status == 413:
            return False
        if status is not None and 400 <= status < 500 and status not in (408, 429):
            return self.delete(batch)
        self.failures += 1
        if self.failures >= 4:
            self.delete([user for one in self.batches for user in one if user not in self.safe])
            self.batches = []
            return True
        return False


class Amplitude(Model):
    """Amplitude-Swift 1.18: a 400 without lists is sent again for ever, one with `Invalid API key` deletes the file."""

    path = "/2/httpapi"

    def body(self, batch):
        events = [
            {"device_id": user, "event_type": "push_permission_granted", "time": 1763632800000, "insert_id": f"i-{user}"}
            for user in batch
        ]
        return json.dumps({"api_key": "wk", "client_upload_time": "2026-11-20T10:00:01.000Z", "events": events})

    def answered(self, batch, status, text, retry_after):
        if status is not None and status < 300:
            return self.told_safe(batch)
        return self.delete(batch) if status == 400 else False


class Mixpanel(Model):
    """mixpanel-swift 6.5: exactly 200 is a success, and what was in it is removed, also if the body says 0."""

    path = "/track/?ip=1"

    def body(self, batch):
        return json.dumps(
            [
                {
                    "event": "push_permission_granted",
                    "properties": {"token": "wk", "distinct_id": user, "time": 1763632800, "$insert_id": f"z-{user}"},
                }
                for user in batch
            ]
        )

    def answered(self, batch, status, text, retry_after):
        if status == 200:
            return self.told_safe(batch) if text == "1" else self.delete(batch)
        return False


class Own(Model):
    """permlog's own interface: nothing but 2xx deletes."""

    path = "/v1/events?key=wk"

    def body(self, batch):
        return "\n".join(
            json.dumps(
                {
                    "event_id": f"e-{user}",
                    "user_id": user,
                    "timestamp": "2026-11-20T10:00:00Z",
                    "event": "granted",
                    "permission": "notifications",
                }
            )
            for user in batch
        )

    def answered(self, batch, status, text, retry_after):
        return self.told_safe(batch) if status is not None and status < 300 else False


ALL = [Segment, Rudder, PostHog, Amplitude, Mixpanel, Own]
