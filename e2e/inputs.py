"""The outputs that a model has to find something in: each is too large for every agent, and its point is in the middle."""

from __future__ import annotations

import json


def a_log() -> str:
    """A log of 200 KB with one error."""
    lines = []
    for n in range(2200):
        stamp = f"2026-11-15T10:{n // 60 % 60:02}:{n % 60:02}Z"
        lines.append(f"{stamp} INFO  payment-worker: request {n * 7919 % 100003:06} handled in {n * 31 % 97} ms, queue {n * 17 % 23}")
    lines[1100] = "2026-11-15T10:18:20Z ERROR payment-worker: charge 8812 failed: card_declined_by_issuer (order 7741)"
    return "\n".join(lines) + "\n"


def b_json() -> str:
    """A thousand records on one line, one of which has an error."""
    records = [
        {"id": n, "name": f"account-{n * 7919 % 100003:06}", "status": "active", "plan": "basic", "region": "eu-west-1",
         "balance": n * 31 % 9700, "tags": ["a", "b"], "email": f"user{n}@example.com", "created": "2026-01-01T00:00:00Z",
         "notes": "nothing to report about this account at the moment"}
        for n in range(1000)
    ]  # fmt: skip
    records[500] |= {"status": "suspended", "error": "ledger_mismatch_detected"}
    return json.dumps(records)


def c_txt() -> str:
    """A test run of three thousand lines with three failures and a summary."""
    lines = [f"tests/test_module_{n // 50:03}.py::test_case_{n:04} PASSED" for n in range(3000)]
    for n, name in ((1490, "refund"), (1500, "charge"), (1510, "void")):
        lines[n] = f"tests/test_module_{n // 50:03}.py::test_{name} FAILED"
    lines += ["", "=== FAILURES ===", "___ test_charge ___", "    def test_charge():", ">       assert charge(order) == 200",
              "E       AssertionError: assert 502 == 200: gateway_timeout_in_charge", "tests/test_module_030.py:41: AssertionError"]  # fmt: skip
    middle = lines[3000:]
    lines = lines[:1600] + middle + lines[1600:3000]
    return "\n".join([*lines, "=== 3 failed, 2997 passed in 81.20s ===", ""])


# The file, its content, what a model must see of it, and how the command that prints it ends.
INPUTS = [
    ("a.log", a_log(), "card_declined_by_issuer", 0),
    ("b.json", b_json(), "ledger_mismatch_detected", 0),
    ("c.txt", c_txt(), "gateway_timeout_in_charge", 0),
    ("c.txt", c_txt(), "gateway_timeout_in_charge", 3),
]
