"""Thirteen coding agents: where their programs are, how each is pointed at a scripted model, and what its shell is called.

Every agent gets a home and a working directory of its own. `configure` writes what the agent needs to reach the model and
nothing else; setting Offcut up is somebody else's work (`offcut init`).
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
from pathlib import Path

import kit


class Client:
    """One agent. Subclasses say what is different."""

    name = ""
    # The program's name, and the folder below the peers' directory that it is installed in.
    binary = ""
    # The shell tool as its model knows it, and the argument that holds the command.
    shell = "bash"
    argument = "command"
    # Whether its user has to put BASH_ENV into the agent's environment, as `offcut init` tells him.
    startup = False
    # Whether a command that reads its standard input ends there.
    closes_stdin = True
    # Whether it sometimes shows nothing of what a quick command printed.
    loses_output = False
    limit = 180

    def __init__(self, program: Path, home: Path) -> None:
        self.program, self.home = program, home
        self.work = home / "work"
        self.work.mkdir(parents=True)
        self.url = ""
        self.written: set[Path] = set()

    @classmethod
    def find(cls, directory: str | None) -> Path:
        """The agent's program, on PATH or below the peers' directory."""
        return kit.find(cls.name, cls.binary or cls.name, directory)

    def point_at(self, url: str) -> None:
        """Points the agent at the model; the second time only the address changes, and what others wrote stays."""
        if not self.url:
            self.configure(url)
        for path in self.written:
            path.write_text(path.read_text().replace(self.url, url))
        self.url = url

    def configure(self, url: str) -> None:
        """Writes what the agent needs to reach the model."""
        self.url = url

    def environment(self) -> dict[str, str]:
        return {}

    def arguments(self, prompt: str) -> list[str]:
        raise NotImplementedError

    def call(self, command: str) -> dict:
        """The turn of a script that runs `command` in the agent's own shell."""
        return {"tool": self.shell, "args": {self.argument: command}}

    def forbid(self, program: str) -> bool:
        """Writes a rule of the agent's own that forbids `program`; false where none is known."""
        return False

    def before(self) -> list[dict]:
        """Turns that come before the first call."""
        return []

    def run(self, prompt: str, **environment: str) -> str:
        """Runs the agent once, and returns what it printed."""
        return self.execute(self.arguments(prompt), self.limit, **environment)

    def execute(self, arguments: list[str], limit: int, may_hang: bool = False, **environment: str) -> str:
        """Runs the agent's program in a session of its own, and ends all of it."""
        env = {
            "PATH": f"{self.program.parent}:{os.environ['PATH']}", "HOME": str(self.home), "TERM": "dumb",
            "LANG": "C.UTF-8", "SHELL": "/bin/bash", "USER": "tester", **self.environment(), **environment,
        }  # fmt: skip
        file = self.home / ".config" / "offcut" / "bash-env.sh"
        if self.startup and file.exists():
            env |= {"BASH_ENV": str(file), "OFFCUT_SHELL": "on"}
        process = subprocess.Popen(
            [str(self.program), *arguments], cwd=self.work, env=env, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", start_new_session=True,
        )  # fmt: skip
        try:
            return process.communicate(timeout=limit)[0]
        except subprocess.TimeoutExpired:
            if not may_hang:
                raise
            return ""
        finally:
            # What an agent leaves running would hold the port and the directory.
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass

    def write(self, path: str, content: object) -> None:
        """Writes a file below the home; what is not text becomes JSON."""
        target = self.home / path
        self.written.add(target)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(content if isinstance(content, str) else json.dumps(content, indent=2) + "\n")


class Claude(Client):
    name, shell = "claude", "Bash"

    def environment(self) -> dict[str, str]:
        return {
            "ANTHROPIC_BASE_URL": self.url, "ANTHROPIC_API_KEY": "test", "DISABLE_AUTOUPDATER": "1",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        }  # fmt: skip

    def arguments(self, prompt: str) -> list[str]:
        return ["-p", prompt, "--model", "claude-sonnet-4-5", "--allowedTools", "Bash,mcp__offcut__get_artifact",
                "--output-format", "stream-json", "--verbose"]  # fmt: skip


    def forbid(self, program: str) -> bool:
        self.write(".claude/settings.json", {"permissions": {"deny": [f"Bash({program}:*)"]}})
        return True


class Codex(Client):
    name, shell, argument = "codex", "exec_command", "cmd"

    def configure(self, url: str) -> None:
        super().configure(url)
        self.write(".codex/config.toml", f"""# the scripted model
model = "gpt-5.5"
model_provider = "fake"
check_for_update_on_startup = false

[analytics]
enabled = false

[model_providers.fake]
name = "fake"
base_url = "{url}/v1"
wire_api = "responses"
env_key = "FAKE_KEY"
request_max_retries = 0
stream_max_retries = 0
""")

    def environment(self) -> dict[str, str]:
        return {"FAKE_KEY": "test"}

    def arguments(self, prompt: str) -> list[str]:
        return ["exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", "--json", prompt]

    def forbid(self, program: str) -> bool:
        self.write(".codex/rules/default.rules", f'prefix_rule(pattern = ["{program}"], decision = "forbidden")\n')
        return True


class Gemini(Client):
    name, shell = "gemini", "run_shell_command"

    def configure(self, url: str) -> None:
        super().configure(url)
        self.write(".gemini/settings.json", {
            "security": {"auth": {"selectedType": "gemini-api-key"}}, "general": {"enableAutoUpdate": False},
            "privacy": {"usageStatisticsEnabled": False}, "telemetry": {"enabled": False},
        })  # fmt: skip

    def environment(self) -> dict[str, str]:
        return {"GEMINI_API_KEY": "test", "GOOGLE_GEMINI_BASE_URL": self.url}

    def arguments(self, prompt: str) -> list[str]:
        return ["-m", "gemini-2.5-pro", "--yolo", "--skip-trust", "-o", "stream-json", "-p", prompt]

    def forbid(self, program: str) -> bool:
        rule = f'[[rule]]\ntoolName = "run_shell_command"\ncommandPrefix = "{program}"\ndecision = "deny"\npriority = 999\n'
        self.write(".gemini/policies/deny.toml", rule)
        return True


class Qwen(Client):
    name, shell, startup, loses_output = "qwen", "run_shell_command", True, True

    def configure(self, url: str) -> None:
        super().configure(url)
        self.write(".qwen/settings.json", {
            "privacy": {"usageStatisticsEnabled": False}, "telemetry": {"enabled": False},
        })  # fmt: skip

    def environment(self) -> dict[str, str]:
        return {"OPENAI_API_KEY": "test", "OPENAI_BASE_URL": f"{self.url}/v1", "OPENAI_MODEL": "qwen3-coder-plus"}

    def arguments(self, prompt: str) -> list[str]:
        return ["--auth-type", "openai", "--yolo", "-o", "stream-json", prompt]

    def forbid(self, program: str) -> bool:
        self.write(".qwen/settings.json", {"permissions": {"deny": [f"run_shell_command({program} *)"]}})
        return True

    def call(self, command: str) -> dict:
        return {"tool": self.shell, "args": {"command": command, "is_background": False}}


class Opencode(Client):
    name = "opencode"
    permission: object = "allow"

    def configure(self, url: str) -> None:
        super().configure(url)
        self.write(".config/opencode/opencode.json", {
            "autoupdate": False, "share": "disabled", "permission": self.permission,
            "model": "fake/fake-model", "small_model": "fake/fake-model",
            "provider": {"fake": {
                "npm": "@ai-sdk/openai-compatible",
                "options": {"baseURL": f"{url}/v1", "apiKey": "test"},
                "models": {"fake-model": {"limit": {"context": 200_000, "output": 8192}}},
            }},
        })  # fmt: skip

    def environment(self) -> dict[str, str]:
        # Without a network it would try for minutes to install something for its plugins.
        return {
            "OPENCODE_DISABLE_AUTOUPDATE": "1", "OPENCODE_DISABLE_MODELS_FETCH": "1", "npm_config_fetch_retries": "0",
        }  # fmt: skip

    def arguments(self, prompt: str) -> list[str]:
        return ["run", "--format", "json", prompt]

    def forbid(self, program: str) -> bool:
        self.permission = {"bash": {"*": "allow", f"{program} *": "deny"}}
        self.configure(self.url)
        return True

    def call(self, command: str) -> dict:
        return {"tool": self.shell, "args": {"command": command, "description": "run it"}}


class Copilot(Client):
    name = "copilot"
    denied: tuple[str, ...] = ()

    def environment(self) -> dict[str, str]:
        return {
            "COPILOT_OFFLINE": "true", "COPILOT_AUTO_UPDATE": "false", "COPILOT_PROVIDER_BASE_URL": f"{self.url}/v1",
            "COPILOT_PROVIDER_API_KEY": "test", "COPILOT_MODEL": "gpt-4.1",
        }  # fmt: skip

    def arguments(self, prompt: str) -> list[str]:
        return ["-p", prompt, "--allow-all-tools", "--allow-all-paths", "--disable-builtin-mcps", *self.denied]

    def forbid(self, program: str) -> bool:
        self.denied = ("--deny-tool", f"shell({program})")
        return True

    def call(self, command: str) -> dict:
        return {"tool": self.shell, "args": {"command": command, "description": "run it"}}


class Goose(Client):
    name, shell, startup = "goose", "*shell", True

    def environment(self) -> dict[str, str]:
        return {
            "GOOSE_PROVIDER": "openai", "GOOSE_MODEL": "gpt-4o", "OPENAI_HOST": self.url, "OPENAI_API_KEY": "test",
            "GOOSE_DISABLE_KEYRING": "1", "GOOSE_MODE": "auto",
        }  # fmt: skip

    def arguments(self, prompt: str) -> list[str]:
        return ["run", "--no-session", "--with-builtin", "developer", "-t", prompt]


class Cline(Client):
    name, shell = "cline", "run_commands"

    def configure(self, url: str) -> None:
        super().configure(url)
        # It writes its configuration and may then wait for something; what counts is the file.
        auth = ["auth", "-p", "openai-compatible", "-k", "test", "-m", "gpt-4o", "-b", f"{url}/v1"]
        self.execute(auth, limit=20, may_hang=True)
        self.written.add(self.home / ".cline/data/settings/providers.json")

    def arguments(self, prompt: str) -> list[str]:
        return ["--json", "--auto-approve", "true", prompt]

    def call(self, command: str) -> dict:
        return {"tool": self.shell, "args": {"commands": [command]}}


class Kimi(Client):
    name, shell = "kimi", "Bash"

    def configure(self, url: str) -> None:
        super().configure(url)
        self.write(".kimi-code/config.toml", f"""default_model = "fake"
telemetry = false

[providers.fake]
type = "openai"
base_url = "{url}/v1"
api_key = "test"

[models.fake]
provider = "fake"
model = "fake-model"
max_context_size = 200000
capabilities = ["tool_use"]
""")

    def arguments(self, prompt: str) -> list[str]:
        return ["-p", prompt, "--output-format", "stream-json"]


class Pi(Client):
    name = "pi"

    def configure(self, url: str) -> None:
        super().configure(url)
        cost = {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0}
        model = {"id": "fake-model", "name": "fake", "reasoning": False, "input": ["text"], "contextWindow": 200_000,
                 "maxTokens": 8192, "cost": cost}  # fmt: skip
        provider = {"baseUrl": f"{url}/v1", "api": "openai-completions", "apiKey": "test", "models": [model]}
        self.write(".pi/agent/models.json", {"providers": {"fake": provider}})

    def environment(self) -> dict[str, str]:
        return {"PI_OFFLINE": "1", "PI_TELEMETRY": "0"}

    def arguments(self, prompt: str) -> list[str]:
        return ["-p", "--provider", "fake", "--model", "fake-model", "--offline", "--mode", "json", prompt]


class Continue(Client):
    name, binary, shell, startup, closes_stdin = "continue", "cn", "Bash", True, False

    def configure(self, url: str) -> None:
        super().configure(url)
        self.write("config.yaml", f"""name: test
version: 1.0.0
schema: v1
models:
  - name: fake
    provider: openai
    model: gpt-4o
    apiBase: {url}/v1
    apiKey: test
    roles: [chat]
    capabilities: [tool_use]
""")

    def arguments(self, prompt: str) -> list[str]:
        return ["-p", "--auto", "--config", str(self.home / "config.yaml"), prompt]


class Vibe(Client):
    name, shell = "vibe", "bash"

    def configure(self, url: str) -> None:
        super().configure(url)
        self.write(".vibe/config.toml", f"""active_model = "fake"
enable_update_checks = false
enable_telemetry = false

[[providers]]
name = "fake"
api_base = "{url}/v1"
api_key_env_var = "FAKE_KEY"
api_style = "openai"
backend = "generic"

[[models]]
name = "fake-model"
provider = "fake"
alias = "fake"
""")

    def environment(self) -> dict[str, str]:
        return {"FAKE_KEY": "test", "MISTRAL_API_KEY": "test"}

    def arguments(self, prompt: str) -> list[str]:
        return ["-p", prompt, "--auto-approve", "--trust", "--output", "streaming"]

    def forbid(self, program: str) -> bool:
        config = self.home / ".vibe/config.toml"
        config.write_text(f'{config.read_text()}\n[tools.bash]\ndenylist = ["{program}"]\n')
        return True


class OpenHands(Client):
    name, shell = "openhands", "terminal"

    def environment(self) -> dict[str, str]:
        return {
            "LLM_API_KEY": "test", "LLM_BASE_URL": f"{self.url}/v1", "LLM_MODEL": "openai/gpt-4o",
            "LITELLM_LOCAL_MODEL_COST_MAP": "True",
        }  # fmt: skip

    def arguments(self, prompt: str) -> list[str]:
        return ["--headless", "--override-with-envs", "--always-approve", "--json", "-t", prompt]

    def call(self, command: str) -> dict:
        return {"tool": self.shell, "args": {"command": command, "security_risk": "LOW"}}


CLIENTS: dict[str, type[Client]] = {
    client.name: client
    for client in (Claude, Codex, Gemini, Qwen, Opencode, Copilot, Goose, Cline, Kimi, Pi, Continue, Vibe, OpenHands)
}
