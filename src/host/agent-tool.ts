import { AppError, toAppError } from '../base/errors.ts';
import type { Definition } from '../schema/definition.ts';
import { isObject } from '../wire/messages.ts';
import { type AdaptedTool, adaptTool } from './adapt-tool.ts';
import type { HostRequestOptions } from './host-request.ts';
import type { AskServer } from './host-requests.ts';
import type { HostServer } from './host-server.ts';
import type { KeptResults } from './kept-results.ts';
import type { AskedCall, Permissions } from './permissions.ts';
import { errorMessage, type ToolMessage, toToolMessage } from './tool-message.ts';

/** A tool that an agent runs like any of its own. */
export interface AgentTool extends Pick<AdaptedTool, 'name' | 'description' | 'parameters'> {
  /** Where it comes from; undefined for tools of the host itself. */
  readonly origin?: AdaptedTool['origin'];
  /** What was changed or left out of its definition. */
  readonly remarks?: readonly string[];
  /** Never rejects: a refusal and a failure are messages too. */
  run(args: unknown, options?: RunOptions): Promise<ToolMessage>;
}

/** `signal` gives the call up, and its server is told. */
export type RunOptions = HostRequestOptions;

/** What running a tool needs of the host. */
export interface Running {
  readonly ask: AskServer;
  readonly permissions: Permissions;
  readonly kept: KeptResults;
  readonly maxResultBytes: number | undefined;
}

/** The tool of a server as a tool of the agent. */
export function toAgentTool(server: HostServer, definition: Definition, running: Running): AgentTool {
  const { name, description, parameters, origin, remarks } = adaptTool(server.upstream.id, definition);
  const { tool, title, annotations } = origin;
  return {
    ...{ name, description, parameters, origin, remarks },
    async run(args, options = {}) {
      if (args !== undefined && !isObject(args)) return notAnObject(name);
      const params = { name: tool, arguments: args ?? {} };
      const { json } = definition;
      const asked = { tool, definition: json, title, description, annotations, arguments: params.arguments };
      return runPermitted(server, { method: 'tools/call', params, asked, options }, running);
    },
  };
}

export interface PermittedRequest {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** What is asked for, in the words of permissions. */
  readonly asked: Omit<AskedCall, 'server' | 'identity'>;
  readonly options: RunOptions;
  /** How its result becomes that of a call; without it, it is one. */
  readonly toResult?: ((result: unknown) => unknown) | undefined;
}

/** Nothing reaches the server before somebody, or a rule, has allowed it. */
export async function runPermitted(
  { upstream, identity, ...server }: HostServer,
  { method, params, asked, options, toResult = (result) => result }: PermittedRequest,
  { permissions, ask, kept, maxResultBytes }: Running,
): Promise<ToolMessage> {
  try {
    const decision = await permissions.decide({ server: upstream.id, identity, ...asked }, options.signal);
    if (!decision.isAllowed)
      throw new AppError('DENIED', `${asked.tool} of ${upstream.id} was not called: ${decision.reason}`);
    const result = await ask({ upstream, identity, ...server }, method, params, options);
    const limit = maxResultBytes === undefined ? {} : { maxTextBytes: maxResultBytes };
    return toToolMessage(toResult(result), { ...limit, keep: kept.keep });
  } catch (error) {
    return errorMessage(toAppError(error));
  }
}

/** A model wrote something else. */
export function notAnObject(name: string): ToolMessage {
  return errorMessage(new AppError('BAD_ARGUMENTS', `The arguments of ${name} must be an object.`));
}
