"""Each adapter with its real library: a scripted model calls a tool, sees the planted line, and fetches a gap."""

from __future__ import annotations

import json

import pytest
from conftest import PLANTED
from offcut import Offcut

fake_llm = pytest.importorskip("fake_llm", reason="the scripted model (OFFCUT_TESTKIT) is not there")

HIDDEN = "INFO worker 10 finished its part"
"""A line that a cut leaves out."""

HANDLE = {"$result": r"\[offcut (\w+):"}
GAP = {"$result": r"\[\w+ (\d+-\d+)"}
SCRIPT = [
    {"tool": "run_build", "args": {"target": "all"}},
    {"tool": "get_artifact", "args": {"id": HANDLE, "lines": GAP}},
    {"text": "The disk /dev/sda7 is full."},
]


@pytest.fixture
def llm():
    with fake_llm.FakeLLM(SCRIPT) as llm:
        yield llm


def check(llm, answer: str) -> None:
    """The model saw the line that matters, fetched what was left out, and answered."""
    seen = llm.tool_results()
    assert [result["name"] or "" for result in seen][:2] in (["run_build", "get_artifact"], ["", ""])
    cut, gap = seen[0]["text"], seen[1]["text"]
    assert PLANTED in cut and HIDDEN not in cut and len(cut) <= 8000
    assert HIDDEN in gap
    assert "The disk /dev/sda7 is full." in answer
    assert all("get_artifact" in record["declared_tools"] for record in llm.records if record["declared_tools"])


@pytest.mark.parametrize("wire", ["chat", "async"])
async def test_langchain(llm, log, wire):
    pytest.importorskip("langchain.agents", reason="langchain is not installed")
    chat_openai = pytest.importorskip("langchain_openai", reason="langchain-openai is not installed").ChatOpenAI
    from langchain.agents import create_agent
    from langchain_core.tools import tool
    from offcut.adapters.langchain import OffcutMiddleware

    @tool
    def run_build(target: str) -> str:
        """Build a target."""
        return log

    model = chat_openai(model="fake-model", base_url=f"{llm.url}/v1", api_key="test")
    agent = create_agent(model, [run_build], middleware=[OffcutMiddleware()])
    question = {"messages": [{"role": "user", "content": "Why does the build fail?"}]}
    state = await agent.ainvoke(question) if wire == "async" else agent.invoke(question)
    check(llm, state["messages"][-1].text)


def test_langgraph(llm, log):
    pytest.importorskip("langgraph.graph", reason="langgraph is not installed")
    chat_openai = pytest.importorskip("langchain_openai", reason="langchain-openai is not installed").ChatOpenAI
    from langchain_core.tools import tool
    from langgraph.graph import START, MessagesState, StateGraph
    from langgraph.prebuilt import ToolNode, tools_condition
    from offcut.adapters.langchain import OffcutMiddleware

    @tool
    def run_build(target: str) -> str:
        """Build a target."""
        return log

    middleware = OffcutMiddleware()
    tools = [run_build, *middleware.tools]
    model = chat_openai(model="fake-model", base_url=f"{llm.url}/v1", api_key="test").bind_tools(tools)
    graph = StateGraph(MessagesState)
    graph.add_node("model", lambda state: {"messages": [model.invoke(state["messages"])]})
    graph.add_node("tools", ToolNode(tools, wrap_tool_call=middleware.wrap_tool_call))
    graph.add_edge(START, "model")
    graph.add_conditional_edges("model", tools_condition)
    graph.add_edge("tools", "model")
    state = graph.compile().invoke({"messages": [{"role": "user", "content": "Why does the build fail?"}]})
    check(llm, state["messages"][-1].text)


def test_deepagents(llm, log):
    deepagents = pytest.importorskip("deepagents", reason="deepagents is not installed")
    chat_openai = pytest.importorskip("langchain_openai", reason="langchain-openai is not installed").ChatOpenAI
    from offcut.adapters.langchain import OffcutMiddleware

    def run_build(target: str) -> str:
        """Build a target."""
        return log

    model = chat_openai(model="fake-model", base_url=f"{llm.url}/v1", api_key="test")
    agent = deepagents.create_deep_agent(model=model, tools=[run_build], middleware=[OffcutMiddleware()])
    state = agent.invoke({"messages": [{"role": "user", "content": "Why does the build fail?"}]})
    check(llm, state["messages"][-1].text)


def test_langchain_shortens_old_results_on_the_way_to_the_model(log):
    pytest.importorskip("langchain.agents", reason="langchain is not installed")
    chat_openai = pytest.importorskip("langchain_openai", reason="langchain-openai is not installed").ChatOpenAI
    from langchain.agents import create_agent
    from langchain_core.tools import tool
    from offcut.adapters.langchain import OffcutMiddleware

    @tool
    def step(number: int) -> str:
        """Take a step."""
        return f"this is step {number}\n" + "some more\n" * 200

    script = [*({"tool": "step", "args": {"number": n}} for n in range(4)), {"text": "done"}]
    with fake_llm.FakeLLM(script) as llm:
        model = chat_openai(model="fake-model", base_url=f"{llm.url}/v1", api_key="test")
        agent = create_agent(model, [step], middleware=[OffcutMiddleware(retain=True)])
        state = agent.invoke({"messages": [{"role": "user", "content": "go"}]})
        last = llm.records[-1]["tool_results"]
    assert all(len(result["text"]) < 300 and "get_artifact(id=" in result["text"] for result in last[:2])
    assert all(len(result["text"]) > 1000 for result in last[2:])
    assert all(len(message.content) > 1000 for message in state["messages"] if message.type == "tool")


def agents_model(llm):
    agents = pytest.importorskip("agents", reason="openai-agents is not installed")
    from openai import AsyncOpenAI

    agents.set_tracing_disabled(True)
    client = AsyncOpenAI(base_url=f"{llm.url}/v1", api_key="test")
    return agents.OpenAIResponsesModel(model="fake-model", openai_client=client)


async def test_openai_agents(llm, log):
    model = agents_model(llm)
    from agents import Agent, Runner, function_tool
    from offcut.adapters.openai_agents import with_offcut

    @function_tool
    def run_build(target: str) -> str:
        """Build a target."""
        return log

    agent = with_offcut(Agent(name="builder", tools=[run_build], model=model))
    result = await Runner.run(agent, "Why does the build fail?")
    check(llm, result.final_output)


async def test_openai_agents_by_a_filter_of_the_conversation(llm, log):
    model = agents_model(llm)
    from agents import Agent, RunConfig, Runner, function_tool
    from offcut.adapters.openai_agents import artifact_tool, input_filter

    @function_tool
    def run_build(target: str) -> str:
        """Build a target."""
        return log

    oc = Offcut()
    agent = Agent(name="builder", tools=[run_build, artifact_tool(oc)], model=model)
    config = RunConfig(call_model_input_filter=input_filter(oc))
    result = await Runner.run(agent, "Why does the build fail?", run_config=config)
    check(llm, result.final_output)


async def test_pydantic_ai(llm, log):
    pydantic_ai = pytest.importorskip("pydantic_ai", reason="pydantic-ai is not installed")
    from offcut.adapters.pydantic_ai import OffcutCapability
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider

    def run_build(target: str) -> str:
        """Build a target."""
        return log

    model = OpenAIChatModel("fake-model", provider=OpenAIProvider(base_url=f"{llm.url}/v1", api_key="test"))
    agent = pydantic_ai.Agent(model, tools=[run_build], capabilities=[OffcutCapability()])
    result = await agent.run("Why does the build fail?")
    check(llm, result.output)


async def test_pydantic_ai_cuts_values_as_the_json_that_a_model_reads():
    pydantic_ai = pytest.importorskip("pydantic_ai", reason="pydantic-ai is not installed")
    from offcut.adapters.pydantic_ai import OffcutCapability
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider

    def list_users(count: int) -> list[dict[str, int]]:
        """List users."""
        return [{"id": n} for n in range(count)]

    calls = [{"tool": "list_users", "args": {"count": count}} for count in (3, 9000)]
    with fake_llm.FakeLLM([*calls, {"text": "done"}]) as llm:
        model = OpenAIChatModel("fake-model", provider=OpenAIProvider(base_url=f"{llm.url}/v1", api_key="test"))
        agent = pydantic_ai.Agent(model, tools=[list_users], capabilities=[OffcutCapability()])
        await agent.run("go")
        small, large = (result["text"] for result in llm.tool_results())
    assert json.loads(small) == [{"id": 0}, {"id": 1}, {"id": 2}]
    assert len(large) <= 8000 and "get_artifact(" in large


def test_anthropic(llm, log):
    anthropic = pytest.importorskip("anthropic", reason="anthropic is not installed")
    from offcut.adapters.anthropic import TOOL, prepared, tool_result

    client = anthropic.Anthropic(base_url=llm.url, api_key="test")
    build = {"name": "run_build", "description": "Build", "input_schema": {"type": "object", "properties": {}}}
    oc = Offcut()
    messages = [{"role": "user", "content": "Why does the build fail?"}]
    for _ in range(5):
        sent = prepared(oc, messages)
        response = client.messages.create(model="fake-model", max_tokens=1000, messages=sent, tools=[build, TOOL])
        messages.append({"role": "assistant", "content": response.content})
        calls = [block for block in response.content if block.type == "tool_use"]
        if not calls:
            break
        messages.append({"role": "user", "content": [tool_result(oc, call, lambda args: log) for call in calls]})
    check(llm, response.content[0].text)


@pytest.mark.parametrize("wire", ["chat", "responses"])
def test_openai(llm, log, wire):
    openai = pytest.importorskip("openai", reason="openai is not installed")
    from offcut.adapters.openai import CHAT_TOOL, RESPONSES_TOOL, function_output, prepared, tool_message

    client = openai.OpenAI(base_url=f"{llm.url}/v1", api_key="test")
    oc = Offcut()
    parameters = {"type": "object", "properties": {"target": {"type": "string"}}}
    messages = [{"role": "user", "content": "Why does the build fail?"}]
    for _ in range(5):
        sent = prepared(oc, messages)
        if wire == "chat":
            build = {"type": "function", "function": {"name": "run_build", "parameters": parameters}}
            response = client.chat.completions.create(model="fake-model", messages=sent, tools=[build, CHAT_TOOL])
            message = response.choices[0].message
            messages.append(message)
            calls, answer = message.tool_calls or [], message.content
            messages += [tool_message(oc, call, lambda args: log) for call in calls]
        else:
            build = {"type": "function", "name": "run_build", "parameters": parameters}
            response = client.responses.create(model="fake-model", input=sent, tools=[build, RESPONSES_TOOL])
            messages += response.output
            calls = [item for item in response.output if item.type == "function_call"]
            answer = response.output_text
            messages += [function_output(oc, call, lambda args: log) for call in calls]
        if not calls:
            break
    check(llm, answer)


@pytest.mark.parametrize("vendor", ["anthropic", "openai"])
def test_a_tool_that_raises_is_told_to_the_model(vendor):
    from types import SimpleNamespace

    from offcut.adapters import anthropic, openai

    def fail(args):
        raise FileNotFoundError("no such target")

    if vendor == "anthropic":
        block = SimpleNamespace(id="t1", name="run_build", input={})
        result = anthropic.tool_result(Offcut(), block, fail)
        assert result["is_error"] and result["content"] == "FileNotFoundError: no such target"
    else:
        call = SimpleNamespace(id="t1", function=SimpleNamespace(name="run_build", arguments="{}"))
        assert openai.tool_message(Offcut(), call, fail)["content"] == "FileNotFoundError: no such target"


async def test_mcp(log):
    pytest.importorskip("mcp.server", reason="mcp is not installed")
    from mcp import Client
    from mcp.server import MCPServer
    from offcut.adapters.mcp import OffcutTools

    server = MCPServer("build")
    tools = OffcutTools(server)

    @tools.tool()
    def run_build(target: str) -> str:
        """Build a target."""
        return log

    @tools.tool(name="fetch", limit=2000)
    async def fetch_log(url: str) -> str:
        """Fetch a log."""
        return log

    async with Client(server) as client:
        offered = {tool.name for tool in (await client.list_tools()).tools}
        assert offered == {"run_build", "fetch", "get_artifact"}
        result = await client.call_tool("run_build", {"target": "all"})
        cut = result.content[0].text
        assert PLANTED in cut and HIDDEN not in cut and len(cut) <= 8000
        assert result.structured_content is None
        handle = cut.removeprefix("[offcut ").split(":")[0]
        gap = await client.call_tool("get_artifact", {"id": handle, "pattern": "worker 10 "})
        assert HIDDEN in gap.content[0].text
        assert len((await client.call_tool("fetch", {"url": "x"})).content[0].text) <= 2000


def test_smolagents(log):
    smolagents = pytest.importorskip("smolagents", reason="smolagents is not installed")
    from offcut.adapters.smolagents import cut_tools

    @smolagents.tool
    def run_build(target: str) -> str:
        """Build a target.

        Args:
            target: what to build
        """
        return log

    # It sends results as the user's text, which a script cannot follow a handle in.
    script = [
        SCRIPT[0],
        {"tool": "get_artifact", "args": {"id": "last", "lines": "2-40"}},
        {"tool": "final_answer", "args": {"answer": "The disk /dev/sda7 is full."}},
    ]
    with fake_llm.FakeLLM(script) as llm:
        model = smolagents.OpenAIModel("fake-model", api_base=f"{llm.url}/v1", api_key="test")
        agent = smolagents.ToolCallingAgent(tools=cut_tools([run_build]), model=model, verbosity_level=0)
        answer = agent.run("Why does the build fail?")
        first, second = (json.dumps(record["body"], ensure_ascii=False) for record in llm.records[1:])
    assert PLANTED in first and HIDDEN not in first
    assert HIDDEN in second
    assert answer == "The disk /dev/sda7 is full."


async def test_llama_index(llm, log):
    pytest.importorskip("llama_index.core", reason="llama-index-core is not installed")
    openai_like = pytest.importorskip("llama_index.llms.openai_like", reason="openai-like is not installed").OpenAILike
    from llama_index.core.agent.workflow import FunctionAgent
    from offcut.adapters.llama_index import cut_tools

    def run_build(target: str) -> str:
        """Build a target."""
        return log

    model = openai_like(
        model="fake-model",
        api_base=f"{llm.url}/v1",
        api_key="test",
        is_chat_model=True,
        is_function_calling_model=True,
    )
    agent = FunctionAgent(tools=cut_tools([run_build]), llm=model, streaming=False)
    answer = await agent.run("Why does the build fail?")
    check(llm, str(answer))


def test_notebook(log):
    shell_class = pytest.importorskip(
        "IPython.core.interactiveshell", reason="ipython is not installed"
    ).InteractiveShell
    shell = shell_class.instance()
    try:
        shell.run_line_magic("load_ext", "offcut.jupyter")
        shell.user_ns["log"] = log
        shown = shell.run_cell_magic("offcut", "4000", "print(log, end='')\n!echo from a program\nanswer = 42")
        assert shell.user_ns["_offcut"] is shown and shell.user_ns["answer"] == 42
        assert PLANTED in str(shown) and "from a program" in str(shown) and len(str(shown)) <= 4000
        assert "offcut-gap" in shown._repr_html_()
    finally:
        shell_class.clear_instance()
