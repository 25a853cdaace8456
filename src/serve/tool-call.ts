import { AppError, isAppError } from '../base/errors.ts';
import { isObject, type RawJson } from '../wire/messages.ts';
import { CallContext, type CallLink } from './context.ts';
import { badArguments, unknownTool } from './refusals.ts';
import type { CheckResult } from './schema.ts';
import { failureJson, resultJson, structuredJson } from './tool-result.ts';
import type { RegisteredTool, ToolCatalog } from './tools.ts';

/**
 * One `tools/call`: find the tool, check the arguments, run the handler, shape its result.
 * Answers at once where nothing waits, and with one promise where something does: promises are the dearest part of a call.
 * Whatever goes wrong inside the tool is a result; only a request that is no call at all throws.
 */
export function callTool(catalog: ToolCatalog, link: CallLink): RawJson | Promise<RawJson> {
  const { name, args } = readCall(link.request.params);
  const entry = catalog.find(name);
  if (entry === undefined) return failureJson(undefined, unknownTool(name, catalog));
  try {
    const checked = entry.input.check(args);
    if (checked instanceof Promise)
      return finishLater(
        entry,
        link,
        checked.then((result) => run(entry, result, link)),
      );
    const returned = run(entry, checked, link);
    if (returned instanceof Promise || entry.output !== undefined) return finishLater(entry, link, returned);
    return resultJson(returned);
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

function run(entry: RegisteredTool, checked: CheckResult, link: CallLink): unknown {
  if (checked.problems !== undefined) throw badArguments(entry, checked.problems);
  return entry.handler(checked.value, new CallContext(link));
}

async function finishLater(entry: RegisteredTool, link: CallLink, returning: unknown): Promise<RawJson> {
  try {
    const returned = await returning;
    return entry.output === undefined ? resultJson(returned) : await structuredJson(entry, entry.output, returned);
  } catch (error) {
    return toFailure(entry, link, error);
  }
}

function toFailure(entry: RegisteredTool, link: CallLink, error: unknown): RawJson {
  // The newer protocol wants to hear of this one itself: the client lacks something that the tool cannot do without.
  if (link.era === 'modern' && isAppError(error) && error.code === 'CAPABILITY_MISSING') throw error;
  return failureJson(entry, error);
}
