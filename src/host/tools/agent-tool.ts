import { AppError, toAppError } from '../../base/errors.ts';
import { oneLine } from '../../base/text/safe-text.ts';
import type { Definition } from '../../schema/definitions/definition.ts';
import type { RequestOptions, RequestParams } from '../../upstream/entry/value-request.ts';
import { isObject, RawJson, toJson } from '../../wire/messages.ts';
import type { PermissionRequest, Permissions } from '../permissions/permissions.ts';
import type { StoredResults } from '../results/stored-results.ts';
import { errorMessage, MAX_TEXT_BYTES, type ToolMessage, toToolMessage } from '../results/tool-message.ts';
import type { HostServer } from '../servers/host-server.ts';
import type { SendRequest } from '../servers/send-request.ts';
import { type AdaptedTool, adaptTool } from './adapt-tool.ts';

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
export type RunOptions = RequestOptions;

/** What running a tool needs of the host. */
export interface ToolRuntime {
  readonly sendRequest: SendRequest;
  readonly permissions: Permissions;
  /** Resolves when the server has said again what its tools are. */
  readonly refreshed: (server: HostServer) => Promise<void>;
  readonly storedResults: StoredResults;
  readonly maxResultBytes: number | undefined;
}

/** The tool of a server as a tool of the agent. */
export function toAgentTool(server: HostServer, definition: Definition, runtime: ToolRuntime): AgentTool {
  const { name, description, parameters, origin, remarks } = adaptTool(server.upstream.id, definition);
  const { tool, title, annotations } = origin;
  const { identity } = server;
  const { id } = server.upstream;
  const paramsPrefix = `{"name":${JSON.stringify(tool)},"arguments":`;
  return {
    ...{ name, description, parameters, origin, remarks },
    async run(args, options) {
      // Whoever kept this tool may have kept it for long: what is judged is the tool as it is now.
      if (!isToolListCurrent(server)) await runtime.refreshed(server);
      if (server.entry.pin && !isToolListCurrent(server)) return errorMessage(pinNotCheckedError(server));
      const current = server.findTool(tool);
      if (current === undefined && server.catalog.isListed('tools')) return errorMessage(toolGoneError(server, tool));
      if (current !== undefined && current.json !== definition.json)
        return toAgentTool(server, current, runtime).run(args, options);
      // Serialised once: what is judged is what is sent, whoever changes it meanwhile.
      const json = serialise(args);
      if (json === undefined) return notAnObjectMessage(name);
      const params = new RawJson(`${paramsPrefix}${json}}`);
      // Written out: to spread what is the same for every call costs more than all the rest here.
      const permissionRequest: PermissionRequest = {
        server: id,
        identity,
        kind: 'tool',
        tool,
        definition: definition.json,
        title,
        description,
        annotations,
        arguments: new RawJson(json),
      };
      return runPermitted(server, { method: 'tools/call', params, permissionRequest, options }, runtime);
    },
  };
}

/** Whether its tools are known to be unchanged. A pinned server that is restarted may offer others. */
function isToolListCurrent({ upstream, catalog, entry }: HostServer): boolean {
  return upstream.state.kind === 'ready' ? catalog.isFresh('tools') : !entry.pin;
}

function pinNotCheckedError({ upstream }: HostServer): AppError {
  if (upstream.state.kind === 'error') return upstream.state.error;
  const message = `${upstream.id} is pinned and has not listed its tools since it was started. Try again.`;
  return upstream.rejectionReason() ?? new AppError('TIMED_OUT', message);
}

/** As the JSON text of an object; undefined when they are none, or cannot be written as JSON. */
export function serialise(args: unknown): string | undefined {
  const json = isObject(args ?? {}) ? toJson(args ?? {}) : undefined;
  return json?.startsWith('{') ? json : undefined;
}

/** Whoever kept a tool may find it gone. */
export function toolGoneError({ upstream }: HostServer, name: string): AppError {
  return new AppError('TOOL_NOT_FOUND', `${upstream.id} no longer offers ${oneLine(name, 200)}.`);
}

export interface PermittedRequest {
  readonly method: string;
  readonly params: RequestParams;
  /** What is asked for, in the words of permissions. */
  readonly permissionRequest: PermissionRequest;
  readonly options: RunOptions | undefined;
  /** How its result becomes that of a call; without it, it is one. */
  readonly toResult?: ((result: unknown) => unknown) | undefined;
}

/** Nothing reaches the server before somebody, or a rule, has allowed it. */
export async function runPermitted(
  server: HostServer,
  { method, params, permissionRequest, options, toResult }: PermittedRequest,
  { permissions, sendRequest, storedResults, maxResultBytes }: ToolRuntime,
): Promise<ToolMessage> {
  const fault = invalidRunOption(options);
  if (fault !== undefined) return errorMessage(new AppError('BAD_ARGUMENTS', fault));
  const { isAllowed, tool, reason } = await permissions.decide(permissionRequest, options?.signal);
  const subject = `${tool} of ${server.upstream.id}`;
  if (!isAllowed) return errorMessage(new AppError('DENIED', `${subject} was not called: ${reason}`));
  try {
    const result = await sendRequest(server, method, params, options ?? {});
    return toToolMessage(toResult === undefined ? result : toResult(result), {
      maxTextBytes: maxResultBytes ?? MAX_TEXT_BYTES,
      store: storedResults.store,
    });
  } catch (error) {
    const { code, message } = toAppError(error);
    return errorMessage(new AppError(code, `${subject} failed: ${message}`));
  }
}

/** Programs without types may give anything, and a call that has begun must not fail half-way for it. */
function invalidRunOption(options: RunOptions | null | undefined): string | undefined {
  const { signal, timeoutMs, onProgress } = options ?? {};
  if (signal !== undefined && !(signal instanceof AbortSignal)) return 'options.signal must be an AbortSignal.';
  if (timeoutMs !== undefined && !(timeoutMs > 0)) return 'options.timeoutMs must be a number above 0.';
  if (onProgress !== undefined && typeof onProgress !== 'function') return 'options.onProgress must be a function.';
  return undefined;
}

/** A model wrote something else, or something that is no JSON. */
export function notAnObjectMessage(name: string): ToolMessage {
  return errorMessage(new AppError('BAD_ARGUMENTS', `The arguments of ${name} must be an object that is JSON.`));
}
