//! An agent whose tools answer through Offcut: the model reads what matters of each output, and fetches the rest.
//!
//! ```sh
//! OPENAI_API_KEY=… cargo run -- gpt-5.2 "Why does the build fail?"
//! ```
//!
//! `OPENAI_BASE_URL` names another endpoint.

use std::process::Command;
use std::sync::Arc;

use offcut::recall::{RecallError, Request};
use offcut::{Call, Offcut};
use rig_agent::AgentBuilder;
use rig_core::providers::openai::OpenAI;
use rig_core::tool::PortableTool;
use serde::Deserialize;
use serde_json::{Value, json};

/// Runs a command and hands out what matters of what it printed.
struct RunCommand(Arc<Offcut>);

#[derive(Deserialize)]
struct CommandLine {
    command: String,
}

#[derive(Debug, thiserror::Error)]
enum RunError {
    #[error("the command could not be started")]
    Start(#[from] std::io::Error),
    #[error(transparent)]
    Policy(#[from] offcut::policy::PolicyError),
}

impl PortableTool for RunCommand {
    const NAME: &'static str = "run_command";
    type Args = CommandLine;
    type Output = String;
    type Error = RunError;

    fn description(&self) -> String {
        "Runs a shell command. Long output is shortened; get_artifact returns any part of it.".to_owned()
    }

    fn parameters(&self) -> Value {
        json!({ "type": "object", "properties": { "command": { "type": "string" } }, "required": ["command"] })
    }

    async fn call(&self, CommandLine { command }: CommandLine) -> Result<String, RunError> {
        let shell = format!("({command}) 2>&1");
        let output = Command::new("sh").arg("-c").arg(shell).output()?.stdout;
        let call = Call::new(Self::NAME).arguments(command).limit(8000);
        Ok(self.0.process(call, output)?.text)
    }
}

/// Returns any part of an output that was shortened.
struct GetArtifact(Arc<Offcut>);

impl PortableTool for GetArtifact {
    const NAME: &'static str = "get_artifact";
    type Args = Value;
    type Output = String;
    type Error = RecallError;

    fn description(&self) -> String {
        "Returns a part of an output that was shortened: the lines of a gap, or those that match a pattern.".to_owned()
    }

    fn parameters(&self) -> Value {
        let text = |about: &str| json!({ "type": "string", "description": about });
        json!({
            "type": "object",
            "properties": {
                "id": text("the handle in the reply's first line"),
                "lines": text("FROM-TO, as a gap says it"),
                "pattern": text("a regular expression"),
            },
            "required": ["id"],
        })
    }

    async fn call(&self, arguments: Value) -> Result<String, RecallError> {
        self.0.recall().page(&Request::from_json(arguments)?)
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(model), Some(prompt)) = (arguments.next(), arguments.next()) else {
        return Err("usage: offcut-rig-example MODEL PROMPT".into());
    };
    let offcut = Arc::new(Offcut::builder().in_memory().build()?);
    let agent = AgentBuilder::new(OpenAI::from_env()?.completion(model))
        .preamble("You find out why things fail.")
        .tool(RunCommand(offcut.clone()))
        .tool(GetArtifact(offcut))
        .default_max_turns(8)
        .build();
    println!("{}", agent.prompt(prompt).await?);
    Ok(())
}
