// Offcut: shows the model the part of a command's output that matters, and keeps all of it (`offcut hook opencode`).
// Whatever goes wrong here leaves the output as opencode made it.
import { spawnSync } from "node:child_process"

const OFFCUT = "@OFFCUT@"

export const Offcut = async ({ directory }) => ({
  "tool.execute.after": async (input, output) => {
    const command = input.args?.command ?? output.args?.command
    if (input.tool !== "bash" || typeof command !== "string" || typeof output.output !== "string") return
    const { outputPath, exit } = output.metadata ?? {}
    const event = { cwd: directory, command, output: output.output, path: outputPath, exit }
    const answer = spawnSync(OFFCUT, ["hook", "opencode"], {
      input: JSON.stringify(event),
      timeout: 30000,
      maxBuffer: 64 * 1024 * 1024,
    })
    if (answer.status !== 0) return
    try {
      const text = JSON.parse(answer.stdout.toString()).output
      if (typeof text === "string") output.output = text
    } catch {}
  },
})
