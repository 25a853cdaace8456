import { AppError } from '../../base/errors.ts';
import { isObject, type JsonObject } from '../../wire/messages.ts';
import type { CallLink } from '../context.ts';
import { findPrompt } from '../prompts/prompt-requests.ts';
import type { Server } from '../server.ts';
import type { Completer, Completers } from './completer.ts';

/** The largest number of values that MCP allows in one answer. */
const MAX_VALUES = 100;

/** Answers `completion/complete` for an argument of a prompt or a variable of a resource template. */
export async function complete(server: Server, { request: { params } }: CallLink): Promise<JsonObject> {
  const { ref, argument, context } = isObject(params) ? params : {};
  const { name, value } = isObject(argument) ? argument : {};
  if (!isObject(ref) || typeof name !== 'string' || typeof value !== 'string')
    throw new AppError(
      'INVALID_PARAMS',
      'completion/complete needs params.ref and params.argument with name and value.',
    );
  const completers = ref['type'] === 'ref/prompt' ? ofPrompt(server, ref['name']) : ofTemplate(server, ref['uri']);
  const completer = Object.hasOwn(completers, name) ? completers[name] : undefined;
  const all = await valuesOf(completer, value, isObject(context) ? context['arguments'] : undefined);
  const values = all.slice(0, MAX_VALUES);
  return { completion: { values, total: all.length, hasMore: all.length > values.length } };
}

/** The choices in the schema of a prompt complete themselves. */
function ofPrompt(server: Server, name: unknown): Completers {
  const { input, complete: own } = findPrompt(server, name);
  const properties = isObject(input.jsonSchema['properties']) ? input.jsonSchema['properties'] : {};
  const choices = Object.entries(properties).map(([member, schema]) => [member, choicesOf(schema)] as const);
  return { ...Object.fromEntries(choices), ...own };
}

function choicesOf(schema: unknown): readonly string[] {
  const choices = isObject(schema) && Array.isArray(schema['enum']) ? schema['enum'] : [];
  return choices.filter((choice) => typeof choice === 'string');
}

function ofTemplate({ resources }: Server, uri: unknown): Completers {
  const resource = resources?.get(String(uri));
  if (resource === undefined)
    throw new AppError('INVALID_PARAMS', `There is no resource template ${JSON.stringify(uri) ?? '(no URI)'}.`);
  return resource.complete;
}

async function valuesOf(completer: Completer | undefined, typed: string, given: unknown): Promise<readonly string[]> {
  if (typeof completer !== 'function') {
    const start = typed.toLowerCase();
    return (completer ?? []).filter((value) => value.toLowerCase().startsWith(start));
  }
  const others = Object.entries(isObject(given) ? given : {}).filter(([, value]) => typeof value === 'string');
  return completer(typed, Object.fromEntries(others) as Record<string, string>);
}
