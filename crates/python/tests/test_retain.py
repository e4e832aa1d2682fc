"""Conversations whose old results are shortened."""

from __future__ import annotations

import copy

import pytest
from conftest import PLANTED
from offcut import Offcut, OffcutError


def anthropic_messages(texts):
    messages = [{"role": "user", "content": "go"}]
    for n, text in enumerate(texts):
        call = {"type": "tool_use", "id": f"t{n}", "name": "bash", "input": {"command": f"step {n}"}}
        messages.append({"role": "assistant", "content": [call]})
        messages.append({"role": "user", "content": [{"type": "tool_result", "tool_use_id": f"t{n}", "content": text}]})
    return messages


def chat_messages(texts):
    messages = [{"role": "user", "content": "go"}]
    for n, text in enumerate(texts):
        call = {"id": f"t{n}", "type": "function", "function": {"name": "bash", "arguments": "{}"}}
        messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
        messages.append({"role": "tool", "tool_call_id": f"t{n}", "content": text})
    return messages


def responses_items(texts):
    items = [{"role": "user", "content": "go"}]
    for n, text in enumerate(texts):
        items.append({"type": "function_call", "call_id": f"t{n}", "name": "bash", "arguments": "{}"})
        items.append({"type": "function_call_output", "call_id": f"t{n}", "output": text})
    return items


def results(messages):
    found = []
    for message in messages:
        content = message.get("content")
        if message.get("role") == "tool":
            found.append(content)
        elif "output" in message:
            found.append(message["output"])
        elif isinstance(content, list) and content[0]["type"] == "tool_result":
            found.append(content[0]["content"])
    return found


@pytest.mark.parametrize("make", [anthropic_messages, chat_messages, responses_items])
def test_old_results_are_shortened_and_can_be_read_back(make):
    texts = [f"first of {n}\n" + f"line of {n}\n" * 300 for n in range(4)]
    messages = make(texts)
    before = copy.deepcopy(messages)
    oc = Offcut()
    retained = oc.retain(messages)
    assert messages == before
    shown = results(retained.messages)
    assert shown[2:] == texts[2:]
    assert all(len(text) < 300 and "get_artifact(id=" in text for text in shown[:2]), shown
    handle = shown[0].split('get_artifact(id="')[1].split('"')[0]
    assert oc.show(handle) == texts[0]
    assert oc.get_artifact(handle).startswith("first of 0\n")
    assert oc.get_task_trace(handle).startswith("first of 0\n")
    assert oc.get_task_trace("none").startswith("error: no trace `none`")
    assert retained.report["tokens_after"] < retained.report["tokens_before"]
    # What did not change is the caller's own.
    assert retained.messages[0] is messages[0] and retained.messages[-1] is messages[-1]
    assert oc.retain(messages).messages == retained.messages


def test_new_results_over_the_limit_are_cut(log):
    oc = Offcut()
    shown = results(oc.retain(chat_messages([log]), cut=True).messages)
    assert len(shown[0]) <= 8000 and PLANTED in shown[0]


def test_nothing_to_do_returns_the_same_list():
    messages = chat_messages(["short"])
    assert Offcut().retain(messages).messages is messages


def test_a_requests_body_keeps_its_shape():
    tools = [{"name": "bash"}, {"name": "get_artifact"}]
    body = {"model": "claude", "tools": tools, "messages": anthropic_messages(["line\n" * 300] * 4)}
    retained = Offcut().retain(body).messages
    assert set(retained) == set(body) and retained["model"] == "claude"
    assert results(retained["messages"])[0] != "line\n" * 300


def test_tools_can_be_protected():
    messages = chat_messages(["line\n" * 300] * 4)
    assert Offcut().retain(messages, protect=["bash"]).messages is messages


class SdkMessage:
    """An assistant's message as an SDK's object."""

    def __init__(self, data):
        self.data = data

    def model_dump(self, **_):
        return self.data


def test_objects_of_an_sdk_stay_what_they_are():
    messages = chat_messages(["line\n" * 300] * 4)
    messages[1] = SdkMessage(messages[1])
    retained = Offcut().retain(messages).messages
    assert retained[1] is messages[1]
    assert "get_artifact" in retained[2]["content"]


def test_what_is_no_conversation_is_refused():
    with pytest.raises(OffcutError, match="cannot be read"):
        Offcut().retain({"nothing": 1})
    with pytest.raises(TypeError, match="a conversation is a list of messages"):
        Offcut().retain("a text")
    with pytest.raises(OffcutError, match="expected `window`, `pays` or `off`"):
        Offcut().retain([], mode="never")
