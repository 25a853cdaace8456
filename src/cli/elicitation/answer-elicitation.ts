import { AppError } from '../../base/errors.ts';
import { oneLine } from '../../base/text/safe-text.ts';
import { visible, visibleWord } from '../../base/text/visible-text.ts';
import { isObject } from '../../wire/messages.ts';
import { askForm } from './form.ts';
import { askForUrl } from './url.ts';

/** Whoever sits at the terminal. */
export interface Asker {
  say(line: string): void;
  /** The line that was typed; undefined: Ctrl-C, the end of the input, or nobody wants to know any more. */
  ask(question: string): Promise<string | undefined>;
}

export type ElicitAnswer =
  | { readonly action: 'accept'; readonly content?: Readonly<Record<string, unknown>> }
  | { readonly action: 'decline' | 'cancel' };

/** Puts a question of a server to whoever sits at the terminal. All of it is a stranger's text, and the head says whose. */
export async function answerElicitation(server: string, params: unknown, asker: Asker): Promise<ElicitAnswer> {
  if (!isObject(params)) throw new AppError('INVALID_PARAMS', 'elicitation/create has no params.');
  const { mode = 'form', message } = params;
  asker.say('');
  asker.say(`The server ${visibleWord(server)} asks you; these are its words, and nobody has checked them:`);
  if (typeof message === 'string' && message !== '') asker.say(`  ${visible(oneLine(message, MAX_MESSAGE))}`);
  if (mode === 'form') return askForm(server, params['requestedSchema'], asker);
  if (mode === 'url') return askForUrl(params['url'], asker);
  throw new AppError(
    'INVALID_PARAMS',
    `elicitation/create: ${visible(oneLine(String(mode), 40))} is no mode known here.`,
  );
}

const MAX_MESSAGE = 2_000;
