"""A permlog-server as a process of its own, on a socket that outlives it, as systemd's does."""

import json
import os
import signal
import socket
import subprocess
import time
import urllib.request


class Server:
    def __init__(self, tools, folder, **settings):
        self.tools, self.folder = tools, folder
        self.log, self.state = f"{folder}/log", f"{folder}/state"
        self.socket = socket.socket()
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.socket.bind(("127.0.0.1", 0))
        self.socket.listen(4096)
        self.port = self.socket.getsockname()[1]
        self.settings = f"{folder}/settings.json"
        keys = [{"key": "wk", "log": self.log}]
        with open(self.settings, "w") as file:
            json.dump({"state": self.state, "keys": keys, "commit_interval": 0.05, **settings}, file)
        self.process = None
        self.errors = open(f"{folder}/errors", "ab")
        self.start()

    def start(self):
        # LISTEN_PID must be the server's own.
        script = f'LISTEN_PID=$$ LISTEN_FDS=1 exec "{self.tools}/permlog-server" run --settings "{self.settings}"'

        def hand_over():
            os.dup2(self.socket.fileno(), 3)
            os.set_inheritable(3, True)

        self.process = subprocess.Popen(
            ["sh", "-c", script], preexec_fn=hand_over, close_fds=False, stdout=subprocess.DEVNULL, stderr=self.errors
        )

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        status = self.process.wait(timeout=60)
        # A server that has only begun has no handler yet, and nothing to do.
        assert status in (0, -signal.SIGTERM), f"SIGTERM: the server ended with {status}"

    def get(self, path, method="GET", data=None):
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", data=data, method=method)
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.read().decode()

    def metric(self, name):
        for line in self.get("/metrics").splitlines():
            if line.startswith(f"permlog_{name} "):
                return float(line.split()[1])
        raise KeyError(name)

    def settle(self, seconds=60):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if self.metric("spool_bytes") == 0:
                return
            time.sleep(0.05)
        raise AssertionError(f"bodies stayed in the spool for {seconds} s: {self.get('/readyz')}")

    def users(self):
        """The user of each event of the log, as often as it has events."""
        if not os.path.exists(f"{self.log}/manifest"):
            return []
        lines = subprocess.run([f"{self.tools}/permlog", "export", "--log", self.log], check=True, capture_output=True)
        return [json.loads(line)["user_id"] for line in lines.stdout.splitlines()]

    def memory(self):
        """The most memory that the process had, in MiB."""
        with open(f"/proc/{self.process.pid}/status") as file:
            for line in file:
                if line.startswith("VmHWM"):
                    return int(line.split()[1]) / 1024
