import { createServer, type Server } from '../../serve/server.ts';
import type { Refusal } from '../../serve/tools/refusals.ts';
import { isObject } from '../../wire/messages.ts';
import { withOptionalNulls } from '../optional-nulls.ts';
import type { Workplace } from '../server-context.ts';
import { compatIntroduction } from '../server-info.ts';
import type { EventHub } from './events/event-router.ts';
import { type Parts, runCodex, runReply } from './tool-calls.ts';
import { CODEX, CODEX_REPLY } from './tool-definitions.ts';

export interface CompatOptions {
  /** Through which `codex/event` notifications go; undefined: none are sent. */
  readonly hub: EventHub | undefined;
}

export interface CompatServerOptions extends CompatOptions {
  /** What the machine is, as it is told to clients: `linux; x64`. */
  readonly machine: string;
  readonly onError: (error: unknown, tool: string) => void;
}

/** A drop-in for `codex mcp-server`, which Codex removed in 0.154: what a client of it knew is as it was. */
export function createCompatServer(workplace: Workplace, options: CompatServerOptions): Server {
  const { info, capabilities = {} } = compatIntroduction(options.machine);
  const server = createServer(info, { onError: options.onError, capabilities, refuse });
  return addTools(server, { workplace, hub: options.hub, hasQueue: false });
}

/** The two tools of the drop-in, beside those of the codex server. */
export function addCompatTools(server: Server, workplace: Workplace, { hub }: CompatOptions): Server {
  return addTools(server, { workplace, hub, hasQueue: true });
}

function addTools(server: Server, parts: Parts): Server {
  return server
    .tool('codex', lenient(CODEX), (args, context) => runCodex(args, context, parts))
    .tool('codex-reply', lenient(CODEX_REPLY), (args, context) => runReply(args, context, parts));
}

function lenient(definition: typeof CODEX) {
  return { ...definition, input: withOptionalNulls(definition.input ?? {}) };
}

/** Programs may have learned these texts. */
function refuse(refusal: Refusal): string {
  if (refusal.kind === 'unknown-tool') return `Unknown tool '${refusal.name}'`;
  const hasPrompt = isObject(refusal.arguments) && refusal.arguments['prompt'] !== undefined;
  const problem = hasPrompt ? refusal.problems.join('; ') : 'missing field `prompt`';
  return `Failed to parse configuration for Codex tool: ${problem}`;
}
