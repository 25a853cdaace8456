import { AppError } from '../../base/errors.ts';
import { oneLine } from '../../base/text/safe-text.ts';
import { escapeInvisible, quoteIfNeeded } from '../../base/text/visible-text.ts';
import { isObject } from '../../wire/messages.ts';
import { promptForm } from './form.ts';
import { promptUrl } from './url.ts';

/** The person at the terminal. */
export interface Prompter {
  print(line: string): void;
  /** Reads a line; undefined after Ctrl-C, at the end of the input, or when the request is cancelled. */
  prompt(question: string): Promise<string | undefined>;
}

export type ElicitResult =
  | { readonly action: 'accept'; readonly content?: Readonly<Record<string, unknown>> }
  | { readonly action: 'decline' | 'cancel' };

/**
 * Shows an elicitation request on the terminal and reads the answer. All text is untrusted; the heading names the
 * server.
 */
export async function answerElicitation(server: string, params: unknown, prompter: Prompter): Promise<ElicitResult> {
  if (!isObject(params)) throw new AppError('INVALID_PARAMS', 'elicitation/create has no params.');
  const { mode = 'form', message } = params;
  prompter.print('');
  prompter.print(`The server ${quoteIfNeeded(server)} asks you the following (unverified text from the server):`);
  if (typeof message === 'string' && message !== '')
    prompter.print(`  ${escapeInvisible(oneLine(message, MAX_MESSAGE))}`);
  if (mode === 'form') return promptForm(server, params['requestedSchema'], prompter);
  if (mode === 'url') return promptUrl(params['url'], prompter);
  throw new AppError(
    'INVALID_PARAMS',
    `elicitation/create: ${escapeInvisible(oneLine(String(mode), 40))} is not a supported mode.`,
  );
}

const MAX_MESSAGE = 2_000;
