"""
The two addresses of an Apprise API server that notify, on Debian's Apprise library. The server itself is not in
Debian. Configurations are given as JSON on the command line: a list of [tags, Apprise URL] by key. The port is printed.
"""
import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import apprise

CONFIGURATIONS = json.loads(sys.argv[1])


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        content = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        notifier = apprise.Apprise(asset=apprise.AppriseAsset(body_format=content["format"]))
        if self.path == "/notify":
            notifier.add(content["urls"])
        for tags, url in CONFIGURATIONS.get(self.path.removeprefix("/notify/"), []):
            notifier.add(url, tag=tags)
        if len(notifier) == 0:
            return self.answer(204, "")
        sent = notifier.notify(
            content["body"], title=content["title"], notify_type=content["type"], tag=content.get("tag", "all")
        )
        error = None if sent else "One or more notification could not be sent"
        self.answer(200 if sent else 424, json.dumps({"error": error}))

    def answer(self, status, text):
        self.send_response(status)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_arguments):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_port, flush=True)
server.serve_forever()
