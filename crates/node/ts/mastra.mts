/**
 * Mastra: tools whose results are cut.
 *
 * ```js
 * import { Agent } from "@mastra/core/agent";
 * import { withOffcut } from "offcut/mastra";
 *
 * const agent = new Agent({ id, name, instructions, model, tools: withOffcut({ runBuild }) });
 * ```
 *
 * @module
 */

import { DESCRIPTION, NAME, SCHEMA, cutValue, retrieve } from "./adapter.mjs";
import { Offcut } from "./index.mjs";

/** The tool that notices name, as Mastra takes tools that are no class of its own. */
export interface ArtifactTool {
  id: string;
  description: string;
  parameters: typeof SCHEMA;
  execute: (request: unknown) => Promise<string>;
}

/** The tool that notices name, for the model. */
export function artifactTool(oc: Offcut): ArtifactTool {
  return { id: NAME, description: DESCRIPTION, parameters: SCHEMA, execute: (request) => retrieve(oc, request) };
}

interface AnyTool {
  id?: string;
  execute?: (input: unknown, ...rest: unknown[]) => unknown;
}

/**
 * Returns the tools with their results cut, and the tool `get_artifact` that notices name. A value that is no text is
 * cut as the JSON that the model reads, where that is too long.
 */
export function withOffcut<T extends Record<string, object>>(tools: T, oc = new Offcut()): T & { get_artifact: ArtifactTool } {
  const cutting = Object.entries(tools).map(([key, tool]) => [key, cutTool(oc, key, tool as AnyTool)]);
  return { ...(Object.fromEntries(cutting) as T), [NAME]: artifactTool(oc) };
}

function cutTool(oc: Offcut, key: string, tool: AnyTool): AnyTool {
  const { execute } = tool;
  if (!execute) {
    return tool;
  }
  const cutting = async (input: unknown, ...rest: unknown[]): Promise<unknown> =>
    cutValue(oc, await execute.call(tool, input, ...rest), { tool: tool.id ?? key, args: callArguments(input) });
  // Its class is what Mastra knows a tool by.
  return Object.assign(Object.create(Object.getPrototypeOf(tool) as object) as AnyTool, tool, { execute: cutting });
}

/** The arguments of a call; before its first version Mastra gave them beside the run's own objects. */
function callArguments(input: unknown): unknown {
  const given = (input ?? {}) as { context?: unknown; runtimeContext?: unknown };
  return given.runtimeContext === undefined ? input : given.context;
}
