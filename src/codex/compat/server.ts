import { withOptionalNulls } from '../../serve/optional-nulls.ts';
import { createServer, type Server } from '../../serve/server.ts';
import type { Refusal } from '../../serve/tools/refusals.ts';
import { isObject } from '../../wire/messages.ts';
import type { ServerContext } from '../server-context.ts';
import { compatServerInfo } from '../server-info.ts';
import type { EventRouter } from './events/event-router.ts';
import { type CompatDependencies, runCodex, runReply } from './tool-calls.ts';
import { CODEX_REPLY_TOOL, CODEX_TOOL } from './tool-definitions.ts';

export interface CompatOptions {
  /** Sends the `codex/event` notifications. If undefined, none are sent. */
  readonly eventRouter: EventRouter | undefined;
}

export interface CompatServerOptions extends CompatOptions {
  /** The operating system and the architecture, as reported to clients: `linux; x64`. */
  readonly machine: string;
  readonly onError: (error: unknown, tool: string) => void;
}

/** Creates a drop-in for `codex mcp-server`, which Codex removed in 0.154. It behaves the same for existing clients. */
export function createCompatServer(serverContext: ServerContext, options: CompatServerOptions): Server {
  const { info, capabilities = {} } = compatServerInfo(options.machine);
  const server = createServer(info, { onError: options.onError, capabilities, refuse });
  return addTools(server, { serverContext, eventRouter: options.eventRouter, hasRespondTool: false });
}

/** Adds the two tools of the drop-in to those of the codex server. */
export function addCompatTools(server: Server, serverContext: ServerContext, { eventRouter }: CompatOptions): Server {
  return addTools(server, { serverContext, eventRouter, hasRespondTool: true });
}

function addTools(server: Server, dependencies: CompatDependencies): Server {
  return server
    .tool('codex', lenient(CODEX_TOOL), (args, context) => runCodex(args, context, dependencies))
    .tool('codex-reply', lenient(CODEX_REPLY_TOOL), (args, context) => runReply(args, context, dependencies));
}

function lenient(definition: typeof CODEX_TOOL) {
  return { ...definition, input: withOptionalNulls(definition.input ?? {}) };
}

/** Returns the messages of the old server, because programs may depend on them. */
function refuse(refusal: Refusal): string {
  if (refusal.kind === 'unknown-tool') return `Unknown tool '${refusal.name}'`;
  const hasPrompt = isObject(refusal.arguments) && refusal.arguments['prompt'] !== undefined;
  const problem = hasPrompt ? refusal.problems.join('; ') : 'missing field `prompt`';
  return `Failed to parse configuration for Codex tool: ${problem}`;
}
