"""The libraries themselves, from PyPI, through nginx with TLS: every event is there once."""

import argparse
import collections
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(__file__))
from server_process import Server

EVENTS = 500

NGINX = """
daemon off; master_process off; pid {folder}/nginx.pid; error_log {folder}/nginx.log;
events {{ worker_connections 512; }}
http {{
  access_log off; client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/f; uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s;
  {site}
}}
"""


def site(folder, port, tls):
    """The example of packaging/server with this test's ports and certificate."""
    path = os.path.join(os.path.dirname(__file__), "../../packaging/server/nginx.conf")
    text = open(path).read()
    for old, new in [
        ("127.0.0.1:8087", f"127.0.0.1:{port}"),
        ("listen 443 ssl", f"listen 127.0.0.1:{tls} ssl"),
        ("server_name events.example.com", "server_name localhost"),
        ("/etc/letsencrypt/live/events.example.com/fullchain.pem", f"{folder}/cert.pem"),
        ("/etc/letsencrypt/live/events.example.com/privkey.pem", f"{folder}/key.pem"),
    ]:
        assert old in text, f"packaging/server/nginx.conf lacks {old}"
        text = text.replace(old, new)
    return text


def segment(host, users):
    import segment.analytics as analytics

    analytics.write_key, analytics.host, analytics.gzip = "wk", host, True
    for user in users:
        analytics.track(anonymous_id=user, event="Push Permission Granted", properties={"source": "test"})
    analytics.shutdown()


def rudder(host, users):
    import rudderstack.analytics as analytics

    analytics.write_key, analytics.dataPlaneUrl = "wk", host
    for user in users:
        analytics.track(anonymous_id=user, event="Push Permission Granted", properties={})
    analytics.shutdown()


def posthog(host, users):
    from posthog import Posthog

    client = Posthog("wk", host=host, gzip=True, flush_interval=0.1)
    for user in users:
        client.capture("push_permission_granted", distinct_id=user)
    client.shutdown()


def amplitude(host, users):
    from amplitude import Amplitude, BaseEvent

    client = Amplitude("wk")
    client.configuration.server_url = host + "/2/httpapi"
    client.configuration.flush_queue_size = 50
    for user in users:
        client.track(BaseEvent(event_type="push_permission_granted", device_id=user, insert_id=f"i-{user}"))
    client.flush()
    time.sleep(3)
    client.shutdown()


def mixpanel(host, users):
    from mixpanel import BufferedConsumer, Mixpanel

    consumer = BufferedConsumer(events_url=host + "/track", import_url=host + "/import")
    client = Mixpanel("wk", consumer=consumer)
    for user in users[: EVENTS // 2]:
        client.track(user, "push_permission_granted")
    for user in users[EVENTS // 2 :]:
        client.import_data("secret", user, "push_permission_granted", int(time.time()) - 60)
    consumer.flush()


LIBRARIES = {"segment": segment, "rudder": rudder, "posthog": posthog, "amplitude": amplitude, "mixpanel": mixpanel}


def run(tools):
    folder = tempfile.mkdtemp(prefix="permlog-clients-")
    server = Server(tools, folder)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        tls = free.getsockname()[1]
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"]
        + ["-addext", "subjectAltName=DNS:localhost", "-keyout", f"{folder}/key.pem", "-out", f"{folder}/cert.pem"],
        check=True, capture_output=True,
    )
    with open(f"{folder}/nginx.conf", "w") as file:
        file.write(NGINX.format(folder=folder, site=site(folder, server.port, tls)))
    nginx = subprocess.Popen(["nginx", "-c", f"{folder}/nginx.conf"])
    environment = {**os.environ, "REQUESTS_CA_BUNDLE": f"{folder}/cert.pem", "SSL_CERT_FILE": f"{folder}/cert.pem"}
    try:
        for _ in range(100):
            if subprocess.run(["curl", "-sk", f"https://localhost:{tls}/healthz"], capture_output=True).stdout:
                break
            time.sleep(0.05)
        else:
            raise AssertionError(open(f"{folder}/nginx.log").read())
        for name in LIBRARIES:
            # Each in a process of its own: they have threads that outlive their work.
            subprocess.run(
                [sys.executable, __file__, "--tools", tools, "--library", name, "--host", f"https://localhost:{tls}"],
                check=True, env=environment, timeout=120,
            )
        server.settle()
        counts = collections.Counter(server.users())
        for name in LIBRARIES:
            users = {f"{name}-{i}" for i in range(EVENTS)}
            lost = [user for user in users if counts[user] == 0]
            twice = [user for user in users if counts[user] > 1]
            assert not lost and not twice, f"{name}: {len(lost)} lost ({lost[:3]}), {len(twice)} twice ({twice[:3]})"
            print(f"{name}: {EVENTS} events through nginx with TLS, each there once")
        assert sum(counts.values()) == EVENTS * len(LIBRARIES), counts.most_common(3)
        # While the server is down the proxy answers, and says when to come again.
        server.socket.close()
        server.kill()
        answer = subprocess.run(
            ["curl", "-sk", "-i", "-X", "POST", f"https://localhost:{tls}/batch", "-d", "{}"], capture_output=True, text=True
        ).stdout
        assert " 503" in answer.splitlines()[0] and "retry-after: 3600" in answer.lower(), answer
        answer = subprocess.run(
            ["curl", "-sk", "-o", "/dev/null", "-w", "%{http_code}", f"https://localhost:{tls}/metrics"], capture_output=True, text=True
        ).stdout
        assert answer == "404", f"the proxy passes administration on: {answer}"
        print("nginx: 503 with Retry-After: 3600 while the server is down; administration is not passed on")
    finally:
        nginx.terminate()
        nginx.wait()
        if server.process.poll() is None:
            server.kill()
    shutil.rmtree(folder)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--tools", required=True)
    parser.add_argument("--library")
    parser.add_argument("--host")
    arguments = parser.parse_args()
    if arguments.library:
        LIBRARIES[arguments.library](arguments.host, [f"{arguments.library}-{i}" for i in range(EVENTS)])
        os._exit(0)
    run(arguments.tools)
