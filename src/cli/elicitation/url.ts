import { AppError } from '../../base/errors.ts';
import { inspectUrl } from '../../host/server-requests/elicitation-url.ts';
import type { Asker, ElicitAnswer } from './answer-elicitation.ts';

/** Shows an address in full, and where it leads. It is never opened: a person does that, or leaves it. */
export async function askForUrl(url: unknown, asker: Asker): Promise<ElicitAnswer> {
  if (typeof url !== 'string') throw new AppError('INVALID_PARAMS', 'elicitation/create names no url.');
  sayUrl(url, asker);
  asker.say('  It is not opened for you. n refuses; Ctrl-C or the end of the input gives no answer.');
  const answer = await asker.ask('Have you done it? [y/N] ');
  if (answer === undefined) return { action: 'cancel' };
  return { action: /^\s*y(es)?\s*$/i.test(answer) ? 'accept' : 'decline' };
}

export function sayUrl(url: string, { say }: Pick<Asker, 'say'>): void {
  const { url: shown, host, warnings } = inspectUrl(url);
  say(`  ${shown}`);
  say(`  leads to: ${host === '' ? 'no host' : host}`);
  for (const warning of warnings) say(`  Warning: ${warning}`);
}
