import { AppError, isAppError } from '../base/errors.ts';
import { isObject } from '../wire/messages.ts';
import { CallContext, type CallLink } from './context.ts';
import { badArguments, unknownTool } from './refusals.ts';
import type { CheckResult } from './schema.ts';
import { failureJson, resultJson } from './tool-result.ts';
import type { RegisteredTool, ToolCatalog } from './tools.ts';

/**
 * One `tools/call`: find the tool, check the arguments, run the handler, shape its result.
 * Returns the JSON text of the result, at once where nothing waits: a promise per step would be the dearest part of a call.
 * Whatever goes wrong inside the tool is a result; only a request that is no call at all throws.
 */
export function callTool(catalog: ToolCatalog, link: CallLink): string | Promise<string> {
  const { name, args } = readCall(link.request.params);
  const entry = catalog.find(name);
  if (entry === undefined) return failureJson(undefined, unknownTool(name, catalog));
  try {
    const json = checkAndRun(entry, args, link);
    return typeof json === 'string' ? json : json.catch((error) => toFailure(entry, link, error));
  } catch (error) {
    return toFailure(entry, link, error);
  }
}

function readCall(params: unknown): { name: string; args: unknown } {
  if (!isObject(params) || typeof params['name'] !== 'string') {
    throw new AppError('INVALID_PARAMS', 'tools/call needs params.name, the name of a tool.');
  }
  return { name: params['name'], args: params['arguments'] ?? {} };
}

function checkAndRun(entry: RegisteredTool, args: unknown, link: CallLink): string | Promise<string> {
  const checked = entry.input.check(args);
  return checked instanceof Promise ? checked.then((result) => run(entry, result, link)) : run(entry, checked, link);
}

function run(entry: RegisteredTool, checked: CheckResult, link: CallLink): string | Promise<string> {
  if (checked.problems !== undefined) throw badArguments(entry, checked.problems);
  const returned = entry.handler(checked.value, new CallContext(link));
  return returned instanceof Promise ? returned.then((value) => resultJson(entry, value)) : resultJson(entry, returned);
}

function toFailure(entry: RegisteredTool, link: CallLink, error: unknown): string {
  // The newer protocol wants to hear of this one itself: the client lacks something that the tool cannot do without.
  if (link.era === 'modern' && isAppError(error) && error.code === 'CAPABILITY_MISSING') throw error;
  return failureJson(entry, error);
}
