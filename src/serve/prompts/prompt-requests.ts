import { AppError } from '../../base/errors.ts';
import { isObject, type JsonObject } from '../../wire/messages.ts';
import { CallContext, type CallLink } from '../context.ts';
import type { Prompt, PromptArgument } from '../protocol.ts';
import type { Server } from '../server.ts';
import type { DefinedPrompt } from './prompt-definition.ts';

export function listPrompts({ prompts }: Server): JsonObject {
  return { prompts: [...(prompts?.values() ?? [])].map(toListed) };
}

export async function getPrompt(server: Server, link: CallLink): Promise<JsonObject> {
  const { name, arguments: given } = isObject(link.request.params) ? link.request.params : {};
  const prompt = findPrompt(server, name);
  const checked = await prompt.input.check(readArguments(prompt, given));
  if (checked.problems !== undefined)
    throw new AppError('INVALID_PARAMS', `The prompt ${prompt.name} got bad arguments: ${checked.problems.join('; ')}`);
  const returned = await prompt.handler(checked.value, new CallContext(link));
  return { description: prompt.listed['description'], ...toResult(prompt, returned) };
}

/** Throws `PROMPT_NOT_FOUND` for an unknown name. */
export function findPrompt({ prompts }: Server, name: unknown): DefinedPrompt {
  const prompt = prompts?.get(String(name));
  if (prompt !== undefined) return prompt;
  const known = [...(prompts?.keys() ?? [])].join(', ') || 'none';
  throw new AppError('PROMPT_NOT_FOUND', `There is no prompt ${JSON.stringify(name) ?? '(no name)'}. Known: ${known}.`);
}

function toListed(prompt: DefinedPrompt): Prompt {
  const args = argumentsOf(prompt);
  return { name: prompt.name, ...prompt.listed, ...(args.length === 0 ? {} : { arguments: args }) };
}

/** Returns the arguments of a prompt, as described by the members of its schema. */
function argumentsOf({ input: { jsonSchema } }: DefinedPrompt): readonly PromptArgument[] {
  const required: readonly unknown[] = Array.isArray(jsonSchema['required']) ? jsonSchema['required'] : [];
  const properties = isObject(jsonSchema['properties']) ? jsonSchema['properties'] : {};
  return Object.entries(properties).map(([name, schema]) => {
    const { title, description } = isObject(schema) ? schema : {};
    return {
      name,
      ...(typeof title === 'string' ? { title } : {}),
      ...(typeof description === 'string' ? { description } : {}),
      ...(required.includes(name) ? { required: true } : {}),
    };
  });
}

/** An empty value counts as missing: clients send one for a field that the user left empty. */
function readArguments(prompt: DefinedPrompt, given: unknown): Readonly<Record<string, string>> {
  const args = new Map<string, string>();
  for (const [name, value] of Object.entries(isObject(given) ? given : {})) {
    if (typeof value !== 'string')
      throw new AppError('INVALID_PARAMS', `The argument ${name} of the prompt ${prompt.name} must be text.`);
    if (value.trim() !== '') args.set(name, value);
  }
  for (const { name, required } of argumentsOf(prompt)) {
    if (required === true && !args.has(name))
      throw new AppError('INVALID_PARAMS', `The prompt ${prompt.name} needs the argument ${name}.`);
  }
  return Object.fromEntries(args);
}

function toResult({ name }: DefinedPrompt, returned: unknown): JsonObject {
  if (typeof returned === 'string') return { messages: [{ role: 'user', content: { type: 'text', text: returned } }] };
  const result = Array.isArray(returned) ? { messages: returned } : returned;
  if (isObject(result) && Array.isArray(result['messages']) && result['messages'].every(isMessage)) return result;
  throw new AppError('TOOL_FAILED', `The prompt ${name} must return text, or a list of messages { role, content }.`);
}

function isMessage(value: unknown): boolean {
  if (!isObject(value) || (value['role'] !== 'user' && value['role'] !== 'assistant')) return false;
  return isObject(value['content']) && typeof value['content']['type'] === 'string';
}
