import { AppError } from '../../base/errors.ts';
import { isObject } from '../../wire/messages.ts';
import type { Prompt, PromptMessages } from '../protocol.ts';
import type { PromptResponder } from './prompt-responder.ts';

/** The prompts of a server. Any number of clients may use them concurrently. */
export interface PromptProvider {
  readonly prompts: readonly Prompt[];
  /** Returns the messages of a prompt. Each required argument is given, and no argument is empty. */
  get(name: string, args: Readonly<Record<string, string>>): PromptMessages | Promise<PromptMessages>;
  /** Returns the values that a client may suggest for an argument; none for free text. */
  valuesOf(name: string, argument: string): readonly string[] | Promise<readonly string[]>;
}

/** Creates the `prompts` of a server. A server without prompts does not load this code. */
export function createPrompts(provider: PromptProvider): PromptResponder {
  return {
    answer(method, params) {
      switch (method) {
        case 'prompts/list':
          return Promise.resolve({ prompts: provider.prompts });
        case 'prompts/get':
          return getPrompt(provider, params);
        case 'completion/complete':
          return completeArgument(provider, params);
      }
      return undefined;
    },
  };
}

async function getPrompt(provider: PromptProvider, params: unknown): Promise<Readonly<Record<string, unknown>>> {
  const { name, arguments: given } = isObject(params) ? params : {};
  const prompt = findPrompt(provider, name);
  const { description } = prompt;
  const messages = await provider.get(prompt.name, checkArguments(prompt, given));
  return { ...(description === undefined ? {} : { description }), messages };
}

/** The largest number of values that MCP allows in one answer. */
const MAX_VALUES = 100;

/** Resource templates have no completions. */
async function completeArgument(provider: PromptProvider, params: unknown): Promise<Readonly<Record<string, unknown>>> {
  const { ref, argument } = isObject(params) ? params : {};
  const { name, value } = isObject(argument) ? argument : {};
  if (!isObject(ref) || typeof name !== 'string' || typeof value !== 'string')
    throw new AppError(
      'INVALID_PARAMS',
      'completion/complete needs params.ref and params.argument with name and value.',
    );
  const all = ref['type'] === 'ref/prompt' ? await provider.valuesOf(findPrompt(provider, ref['name']).name, name) : [];
  const matching = all.filter((candidate) => candidate.toLowerCase().startsWith(value.toLowerCase()));
  const values = matching.slice(0, MAX_VALUES);
  return { completion: { values, total: matching.length, hasMore: matching.length > values.length } };
}

function findPrompt({ prompts }: PromptProvider, name: unknown): Prompt {
  const prompt = prompts.find((one) => one.name === name);
  if (prompt !== undefined) return prompt;
  const known = prompts.map((one) => one.name).join(', ');
  throw new AppError('INVALID_PARAMS', `There is no prompt ${JSON.stringify(name) ?? '(no name)'}. Known: ${known}.`);
}

/** An empty value counts as missing: clients send one for a field that the user left empty. */
function checkArguments(prompt: Prompt, given: unknown): Readonly<Record<string, string>> {
  const args: Record<string, string> = {};
  for (const { name, required } of prompt.arguments ?? []) {
    const value = isObject(given) && Object.hasOwn(given, name) ? given[name] : undefined;
    if (value !== undefined && typeof value !== 'string')
      throw new AppError('INVALID_PARAMS', `The argument ${name} of the prompt ${prompt.name} must be text.`);
    if (value !== undefined && value.trim() !== '') args[name] = value.trim();
    else if (required === true)
      throw new AppError('INVALID_PARAMS', `The prompt ${prompt.name} needs the argument ${name}.`);
  }
  return args;
}
