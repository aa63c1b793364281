#!/usr/bin/python3
"""servers.py DIR: a web server on port 8080 and a mail server on port 2525, of the loopback.

Appends a line to DIR/requests for each request: status|path|title|body. For /topic it wants the header of the
example's token and a priority of ntfy, and refuses others, as ntfy does. Takes mail only with the example's password,
and writes each to DIR/mail.N, after a line with its recipients.
"""

import http.server
import itertools
import sys
import time

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult

folder = sys.argv[1]
number = itertools.count(time.time_ns())
# The values that ntfy accepts (https://docs.ntfy.sh/publish/#message-priority).
PRIORITIES = "1 2 3 4 5 min low default high max urgent".split()


class Web(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"] or 0)).decode()
        status = 200
        if self.path == "/topic" and self.headers["Authorization"] != "Bearer example":
            status = 401
        elif self.path == "/topic" and self.headers["Priority"] not in PRIORITIES:
            status = 400
        with open(folder + "/requests", "a") as file:
            print(status, self.path, self.headers["Title"], body, sep="|", file=file)
        self.send_response(status)
        self.end_headers()


class Mail:
    async def handle_DATA(self, _server, _session, envelope):
        with open(f"{folder}/mail.{next(number)}", "w") as file:
            print(" ".join(envelope.rcpt_tos), file=file)
            file.write(envelope.content.decode().replace("\r\n", "\n"))
        return "250 OK"


def authenticate(_server, _session, _envelope, _mechanism, data):
    return AuthResult(success=(data.login, data.password) == (b"link", b"secret"))


Controller(
    Mail(), hostname="127.0.0.1", port=2525, authenticator=authenticate, auth_required=True, auth_require_tls=False
).start()
http.server.HTTPServer(("127.0.0.1", 8080), Web).serve_forever()
