import { AppError } from '../../base/errors.ts';
import { isObject, toJson } from '../../wire/messages.ts';
import type { Completers } from '../completion/completer.ts';
import type { ToolContext } from '../context.ts';
import type { PromptMessage } from '../protocol.ts';
import { type Checked, type Checker, createChecker, type Schema, type StandardSchema } from '../tools/schema.ts';

export interface PromptDefinition<Input extends Schema | undefined = Schema | undefined> {
  readonly title?: string;
  readonly description: string;
  /** The schema of the arguments. They are always text, and are validated before the handler runs. */
  readonly input?: Input;
  /** The values that a client may suggest for an argument. An `enum` in the schema needs no entry. */
  readonly complete?: Completers<keyof PromptArguments<Input> & string>;
  readonly _meta?: Readonly<Record<string, unknown>>;
}

/** Returns the text of one user message, the messages, or a complete result. */
export type PromptHandler<Input> = (
  args: PromptArguments<Input>,
  context: ToolContext,
) => PromptReturned | PromiseLike<PromptReturned>;

type PromptArguments<Input> = Input extends StandardSchema ? Checked<Input> : Readonly<Record<string, string>>;

type PromptReturned =
  | string
  | readonly PromptMessage[]
  | { readonly messages: readonly PromptMessage[]; readonly description?: string };

/** A prompt with everything needed to list and get it. */
export interface DefinedPrompt {
  readonly name: string;
  /** The members of the definition that are listed as they are. */
  readonly listed: Readonly<Record<string, unknown>>;
  readonly input: Checker;
  readonly complete: Completers;
  readonly handler: (args: unknown, context: ToolContext) => unknown;
}

/** Validates a definition, so that mistakes surface here and not at the first request. */
export function definePrompt(name: string, definition: PromptDefinition, handler: unknown): DefinedPrompt {
  const mistake = findMistake(name, definition, handler);
  if (mistake !== undefined) throw new AppError('TOOL_INVALID', `The prompt ${JSON.stringify(name)} ${mistake}`);
  const { input = NO_ARGUMENTS, complete = {}, ...listed } = definition;
  return {
    name,
    listed,
    input: createChecker(input, 'input', `The input of prompt "${name}"`),
    complete,
    // The checker admits only values of its argument type.
    handler: handler as DefinedPrompt['handler'],
  };
}

/** Finds mistakes that the types would catch, for callers in JavaScript. */
function findMistake(name: unknown, definition: unknown, handler: unknown): string | undefined {
  if (typeof name !== 'string' || name === '') return 'must have a name.';
  if (!isObject(definition)) return 'needs a definition: prompt(name, { description, input }, handler).';
  if (typeof definition['description'] !== 'string') return 'needs a description: users choose prompts by it.';
  if (typeof handler !== 'function') return 'needs a handler: prompt(name, definition, (args) => …).';
  if ('arguments' in definition) return 'has "arguments": describe them with a schema, "input".';
  const { input: _, ...listed } = definition;
  return toJson(listed) === undefined ? 'cannot be listed: it cannot be written as JSON.' : undefined;
}

const NO_ARGUMENTS = { type: 'object', properties: {} };
