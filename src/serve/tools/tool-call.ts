import { AppError, isAppError } from '../../base/errors.ts';
import { isThenable } from '../../base/thenable.ts';
import { isObject, type RawJson } from '../../wire/messages.ts';
import { CallContext, type CallLink } from '../context.ts';
import type { ToolCallResult } from '../protocol.ts';
import type { Server } from '../server.ts';
import { reportHandlerError } from './handler-error.ts';
import { badArgumentsError, customRefusal, unknownToolError } from './refusals.ts';
import type { CheckResult } from './schema.ts';
import type { DefinedTool } from './tool-definition.ts';
import { failureJson, resultJson, structuredJson } from './tool-result.ts';

/**
 * Runs one `tools/call`: finds the tool, checks the arguments, runs the handler and formats its result. Returns
 * synchronously if possible, otherwise a single promise, because promises are the most expensive part of a call. Every
 * failure inside the tool becomes a result. Only a request that is not a valid call throws.
 */
export function callTool(server: Server, link: CallLink): RawJson | Promise<RawJson> {
  const { name, args } = readCall(link.request.params);
  const entry = server.catalog.find(name);
  if (entry === undefined) return refuseUnknown(server, name);
  const call: Call = { server, link, entry, args };
  try {
    const checked = entry.input.check(args);
    if (checked instanceof Promise)
      return finishAsync(
        call,
        checked.then((result) => run(call, result)),
      );
    const returned = run(call, checked);
    return isThenable(returned) || entry.output !== undefined ? finishAsync(call, returned) : resultJson(returned);
  } catch (error) {
    return toFailure(call, error);
  }
}

interface Call {
  readonly server: Server;
  readonly link: CallLink;
  readonly entry: DefinedTool;
  /** The unmodified arguments. */
  readonly args: unknown;
}

function readCall(params: unknown): { name: string; args: unknown } {
  if (!isObject(params) || typeof params['name'] !== 'string') {
    throw new AppError('INVALID_PARAMS', 'tools/call needs params.name, the name of a tool.');
  }
  return { name: params['name'], args: params['arguments'] ?? {} };
}

function refuseUnknown(server: Server, name: string): RawJson {
  const custom = customRefusal(server, { kind: 'unknown-tool', name });
  return custom === undefined ? failureJson(unknownToolError(name, server.catalog)) : resultJson(custom);
}

function run(call: Call, checked: CheckResult): unknown {
  if (checked.problems !== undefined) return refuseArguments(call, checked.problems);
  return call.entry.handler(checked.value, new CallContext(call.link));
}

function refuseArguments({ server, entry, args }: Call, problems: readonly string[]): ToolCallResult {
  const refusal = { kind: 'bad-arguments', tool: entry.tool.name, problems, arguments: args } as const;
  const custom = customRefusal(server, refusal);
  if (custom === undefined) throw badArgumentsError(entry, problems);
  return custom;
}

async function finishAsync(call: Call, returning: unknown): Promise<RawJson> {
  const { name } = call.entry.tool;
  const { output } = call.entry;
  try {
    const returned = await returning;
    return output === undefined ? resultJson(returned) : await structuredJson(name, output, returned);
  } catch (error) {
    return toFailure(call, error);
  }
}

function toFailure({ server, link, entry }: Call, error: unknown): RawJson {
  const { name } = entry.tool;
  if (!isAppError(error)) {
    reportHandlerError(server, error, name);
    return failureJson(error, name);
  }
  // In the modern era this error is a protocol error: the client lacks a capability that the tool needs.
  if (link.era === 'modern' && error.code === 'CAPABILITY_MISSING') throw error;
  return failureJson(error);
}
