import { AppError, toAppError } from '../../base/errors.ts';
import { oneLine } from '../../base/text/safe-text.ts';
import { type Definition, isSafeToRepeat } from '../../schema/definitions/definition.ts';
import type { RequestOptions, RequestParams } from '../../upstream/connection/own-request.ts';
import { isObject, RawJson, toJson } from '../../wire/messages.ts';
import type { PermissionRequest } from '../permissions/permission-options.ts';
import type { Permissions } from '../permissions/permissions.ts';
import type { StoredResults } from '../results/stored-results.ts';
import { errorMessage, MAX_TEXT_BYTES, type ToolMessage, toToolMessage } from '../results/tool-message.ts';
import type { HostServer } from '../servers/host-server.ts';
import type { SendRequest } from '../servers/send-request.ts';
import { type AdaptedTool, adaptTool } from './adapt-tool.ts';

/** A tool that an agent runs like its own. */
export interface AgentTool extends Pick<AdaptedTool, 'name' | 'description' | 'parameters'> {
  /** Origin of the tool; undefined for the host's own tools. */
  readonly origin?: AdaptedTool['origin'];
  /** Changes and omissions in the definition. */
  readonly remarks?: readonly string[];
  /** Runs the tool. Never rejects: a refusal and a failure are messages too. */
  run(args: unknown, options?: RunOptions): Promise<ToolMessage>;
}

/** `signal` cancels the call and notifies the server. */
export type RunOptions = RequestOptions;

/** The parts of the host that running a tool needs. */
export interface ToolRuntime {
  readonly sendRequest: SendRequest;
  readonly permissions: Permissions;
  /** Resolves when the server has listed its tools again. */
  readonly refreshed: (server: HostServer) => Promise<void>;
  readonly storedResults: StoredResults;
  readonly maxResultBytes: number | undefined;
}

/** Converts a server's tool into a tool of the agent. */
export function toAgentTool(server: HostServer, definition: Definition, runtime: ToolRuntime): AgentTool {
  const { name, description, parameters, origin, remarks } = adaptTool(server.upstream.id, definition);
  const { tool, title, annotations } = origin;
  const { identity } = server;
  const { id } = server.upstream;
  const paramsPrefix = `{"name":${JSON.stringify(tool)},"arguments":`;
  return {
    ...{ name, description, parameters, origin, remarks },
    async run(args, options) {
      // An application may keep this tool for long: the decision is about the current definition.
      if (!isToolListCurrent(server)) await runtime.refreshed(server);
      if (server.entry.pin && !isToolListCurrent(server)) return errorMessage(pinNotCheckedError(server));
      const current = server.findTool(tool);
      if (current === undefined && server.catalog.isListed('tools')) return errorMessage(toolGoneError(server, tool));
      if (current !== undefined && current.json !== definition.json)
        return toAgentTool(server, current, runtime).run(args, options);
      // Serialized once: the decision covers exactly the JSON that is sent, even if the caller mutates the arguments.
      const json = serialize(args);
      if (json === undefined) return notAnObjectMessage(name);
      const params = new RawJson(`${paramsPrefix}${json}}`);
      // No spread: spreading the constant part costs more than the rest of this function.
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
      const isIdempotent = isSafeToRepeat(definition);
      return runPermitted(server, { method: 'tools/call', params, isIdempotent, permissionRequest, options }, runtime);
    },
  };
}

/** Whether the tools are known to be unchanged. A pinned server may offer different tools after a restart. */
function isToolListCurrent({ upstream, catalog, entry }: HostServer): boolean {
  return upstream.state.kind === 'ready' ? catalog.isFresh('tools') : !entry.pin;
}

function pinNotCheckedError({ upstream }: HostServer): AppError {
  if (upstream.state.kind === 'error') return upstream.state.error;
  const message = `${upstream.id} is pinned and has not listed its tools since it was started. Try again.`;
  return upstream.rejectionReason() ?? new AppError('TIMED_OUT', message);
}

/** Returns the JSON text of an object; undefined when the arguments are no object or cannot be serialized. */
export function serialize(args: unknown): string | undefined {
  const json = isObject(args ?? {}) ? toJson(args ?? {}) : undefined;
  return json?.startsWith('{') ? json : undefined;
}

/** Builds the error for a tool that the application kept and the server no longer offers. */
export function toolGoneError({ upstream }: HostServer, name: string): AppError {
  return new AppError('TOOL_NOT_FOUND', `${upstream.id} no longer offers ${oneLine(name, 200)}.`);
}

export interface PermittedRequest {
  readonly method: string;
  readonly params: RequestParams;
  /** Whether the request may run twice. Default: false. */
  readonly isIdempotent?: boolean;
  /** The request for the permission check. */
  readonly permissionRequest: PermissionRequest;
  readonly options: RunOptions | undefined;
  /** Converts the result into that of a tool call; omitted when it is one already. */
  readonly toResult?: ((result: unknown) => unknown) | undefined;
}

/** Sends nothing to the server before a rule or a person has allowed the request. */
export async function runPermitted(
  server: HostServer,
  { method, params, isIdempotent, permissionRequest, options, toResult }: PermittedRequest,
  { permissions, sendRequest, storedResults, maxResultBytes }: ToolRuntime,
): Promise<ToolMessage> {
  const fault = invalidRunOption(options);
  if (fault !== undefined) return errorMessage(new AppError('BAD_ARGUMENTS', fault));
  const { isAllowed, tool, reason } = await permissions.decide(permissionRequest, options?.signal);
  const subject = `${tool} of ${server.upstream.id}`;
  if (!isAllowed) return errorMessage(new AppError('DENIED', `${subject} was not called: ${reason}`));
  try {
    const result = await sendRequest(server, method, params, { ...options, isIdempotent });
    return toToolMessage(toResult === undefined ? result : toResult(result), {
      maxTextBytes: maxResultBytes ?? MAX_TEXT_BYTES,
      store: storedResults.store,
    });
  } catch (error) {
    const { code, message } = toAppError(error);
    return errorMessage(new AppError(code, `${subject} failed: ${message}`));
  }
}

/** Untyped callers may pass anything, and a call that has started must not fail because of it. */
export function invalidRunOption(options: RunOptions | null | undefined): string | undefined {
  const { signal, timeoutMs, onProgress } = options ?? {};
  if (signal !== undefined && !(signal instanceof AbortSignal)) return 'options.signal must be an AbortSignal.';
  if (timeoutMs !== undefined && !(timeoutMs > 0)) return 'options.timeoutMs must be a number above 0.';
  if (onProgress !== undefined && typeof onProgress !== 'function') return 'options.onProgress must be a function.';
  return undefined;
}

/** Builds the message for arguments that are no JSON object. */
export function notAnObjectMessage(name: string): ToolMessage {
  return errorMessage(
    new AppError('BAD_ARGUMENTS', `The arguments of ${name} must be an object that can be written as JSON.`),
  );
}
