// Offcut: shows the model the part of a command's output that matters, and keeps all of it (`offcut hook pi`).
// Whatever goes wrong here leaves the output as pi made it.
import { spawnSync } from "node:child_process"

const OFFCUT = "@OFFCUT@"

export default function (pi: any) {
  pi.on("tool_result", async (event: any, context: any) => {
    const [first, ...rest] = event.content ?? []
    if (event.toolName !== "bash" || rest.length > 0 || first?.type !== "text") return
    // A command that failed has its output's file and its exit code in the text alone, behind the output.
    const saved = /\n\[Showing [^\n]* Full output: (\/\S*\/pi-bash-[0-9a-f]+\.log)\]\n\nCommand [^\n]*\s*$/.exec(first.text)
    const code = /\n\n(Command exited with code (\d+)|Command (?:timed out|aborted).*)\s*$/.exec(first.text)
    const request = {
      cwd: context?.cwd ?? process.cwd(),
      command: event.input?.command,
      output: code ? first.text.slice(0, code.index) : first.text,
      path: event.details?.fullOutputPath ?? saved?.[1],
      exit: code?.[2] ? Number(code[2]) : undefined,
      remark: code?.[1],
    }
    const answer = spawnSync(OFFCUT, ["hook", "pi"], {
      input: JSON.stringify(request),
      timeout: 30000,
      maxBuffer: 64 * 1024 * 1024,
    })
    if (answer.status !== 0) return
    try {
      const text = JSON.parse(answer.stdout.toString()).output
      if (typeof text === "string") return { content: [{ type: "text", text }] }
    } catch {}
  })
}
