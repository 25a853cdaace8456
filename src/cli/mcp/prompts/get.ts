import { AppError } from '../../../base/errors.ts';
import { nearestNames } from '../../../base/text/nearest-names.ts';
import { quoteIfNeeded } from '../../../base/text/visible-text.ts';
import { commandFor } from '../../../config/next-command.ts';
import type { ServerEntry } from '../../../config/server-entry.ts';
import { isObject } from '../../../wire/messages.ts';
import { environmentOf } from '../../command-context.ts';
import { toJson } from '../../output.ts';
import { truncateOutput } from '../../terminal/truncate-output.ts';
import { chooseEntryFrom } from '../config/choose-entry.ts';
import { readDefinitions } from '../config/definitions.ts';
import { listFrom, type RequestOptions, withServer } from '../listing/list-servers.ts';
import { type ReachedServer, withFailureContext } from '../servers/reach-server.ts';
import { findToolName } from '../servers/tool-name.ts';
import { declaredArguments, validatePromptArguments } from './arguments.ts';
import { messagesText } from './text.ts';

interface PromptRequest {
  /** `<server>.<prompt>`. */
  readonly name: string;
  readonly pairs: ReadonlyMap<string, string>;
  readonly isJson: boolean;
  readonly options: RequestOptions;
}

/**
 * Runs `switchboard mcp prompts get <server>.<prompt> key=value …`: prints the messages with the arguments filled in.
 */
export async function getPrompt({ name, pairs, isJson, options }: PromptRequest): Promise<void> {
  const { context } = options;
  const definitions = await readDefinitions(environmentOf(context));
  const { server: id, tool: prompt } = findToolName(name, definitions, 'mcp prompts list');
  const entry = await chooseEntryFrom(definitions, { id, action: 'ask' });
  const result = await withFailureContext(entry, () =>
    withServer(entry, options, async (server) => {
      await checkPrompt(prompt, pairs, { server, entry, timeoutMs: options.timeoutMs });
      const params = { name: prompt, arguments: Object.fromEntries(pairs) };
      return server.request('prompts/get', params, { timeoutMs: options.timeoutMs });
    }),
  );
  const messages = isObject(result) ? result['messages'] : undefined;
  if (!isObject(result) || !Array.isArray(messages))
    throw new AppError('BAD_ANSWER', `${quoteIfNeeded(id)}: prompts/get: the server sent no list of messages.`, {
      data: { server: id },
    });
  if (isJson) return context.output.answer(toJson({ server: id, prompt, result }));
  const text = messagesText(messages);
  context.output.answer(process.stdout.isTTY ? truncateOutput(text) : text);
}

/** Validates against the server's list, so that faults get our own messages before the request is sent. */
async function checkPrompt(
  prompt: string,
  pairs: ReadonlyMap<string, string>,
  {
    server,
    entry,
    timeoutMs,
  }: { readonly server: ReachedServer; readonly entry: ServerEntry; readonly timeoutMs: number | undefined },
): Promise<void> {
  const { isOffered, items, failure } = await listFrom('prompts', { server, entry }, timeoutMs);
  const data = { server: entry.id, prompt };
  if (!isOffered) throw new AppError('METHOD_NOT_FOUND', 'it does not offer prompts.', { data });
  const found = items.find(({ key }) => key === prompt);
  if (found !== undefined)
    return validatePromptArguments(`${entry.id}.${prompt}`, pairs, declaredArguments(found.json) ?? []);
  if (failure !== undefined) throw failure;
  const near = nearestNames(
    prompt,
    items.map(({ key }) => key),
  );
  const hint =
    near.length > 0
      ? `Did you mean ${near.map((name) => quoteIfNeeded(`${entry.id}.${name}`)).join(' or ')}?`
      : `It has ${items.length}. Run: ${commandFor('mcp prompts list', entry.origin, entry.id)}`;
  throw new AppError('PROMPT_NOT_FOUND', `it has no prompt ${quoteIfNeeded(prompt)}. ${hint}`, {
    data: { ...data, near },
  });
}
