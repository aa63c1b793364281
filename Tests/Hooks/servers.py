#!/usr/bin/python3
"""servers.py DIR: a web server on port 8080 and a mail server on port 2525, of the loopback.

Appends a line to DIR/requests for each request: status|path|title|body. For /topic it wants the header of the
example's token, as ntfy does. Writes each mail to DIR/mail.N, after a line with its recipients.
"""

import http.server
import itertools
import sys

from aiosmtpd.controller import Controller

folder = sys.argv[1]
number = itertools.count(1)


class Web(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"] or 0)).decode()
        permitted = self.path != "/topic" or self.headers["Authorization"] == "Bearer example"
        with open(folder + "/requests", "a") as file:
            print(200 if permitted else 401, self.path, self.headers["Title"], body, sep="|", file=file)
        self.send_response(200 if permitted else 401)
        self.end_headers()


class Mail:
    async def handle_DATA(self, _server, _session, envelope):
        with open(f"{folder}/mail.{next(number)}", "w") as file:
            print(" ".join(envelope.rcpt_tos), file=file)
            file.write(envelope.content.decode().replace("\r\n", "\n"))
        return "250 OK"


Controller(Mail(), hostname="127.0.0.1", port=2525).start()
http.server.HTTPServer(("127.0.0.1", 8080), Web).serve_forever()
