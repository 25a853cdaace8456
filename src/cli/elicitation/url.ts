import { AppError } from '../../base/errors.ts';
import { inspectUrl } from '../../host/server-requests/elicitation-url.ts';
import type { ElicitResult, Prompter } from './answer-elicitation.ts';

/** Shows the complete URL and its host. Never opens it: that is up to the person. */
export async function promptUrl(url: unknown, prompter: Prompter): Promise<ElicitResult> {
  if (typeof url !== 'string') throw new AppError('INVALID_PARAMS', 'elicitation/create has no url.');
  printUrl(url, prompter);
  prompter.print('  Switchboard does not open this URL. n declines; Ctrl-C or end of input cancels.');
  const answer = await prompter.prompt('Have you completed this step? [y/N] ');
  if (answer === undefined) return { action: 'cancel' };
  return { action: /^\s*y(es)?\s*$/i.test(answer) ? 'accept' : 'decline' };
}

export function printUrl(url: string, { print }: Pick<Prompter, 'print'>): void {
  const { url: shown, host, warnings } = inspectUrl(url);
  print(`  ${shown}`);
  print(`  leads to: ${host === '' ? 'no host' : host}`);
  for (const warning of warnings) print(`  Warning: ${warning}`);
}
