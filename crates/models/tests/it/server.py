"""The scripted model server of the testkit, whose texts may name the nonce of the request: ``{nonce}``."""

import json
import re
import sys
from pathlib import Path

testkit, script, log, port_file = sys.argv[1:]
sys.path.insert(0, testkit)

from fake_llm import FakeLLM, Turn  # noqa: E402 - the testkit is found by an argument


class Server(FakeLLM):
    """Fills in the nonce that the request's prompt asks for."""

    def next_turn(self, session, wire, body):
        turn, note = super().next_turn(session, wire, body)
        found = re.search(r"<ai-agent-([0-9a-f]+)-FINAL", json.dumps(body))
        if found and turn.text:
            turn = Turn(**{**vars(turn), "text": turn.text.replace("{nonce}", found.group(1))})
        return turn, note


server = Server(json.loads(Path(script).read_text()), log=log, side_requests=False)
Path(port_file + ".new").write_text(str(server.port))
Path(port_file + ".new").rename(port_file)
server.serve_forever()
