import type { ConnectTarget } from '../../clients/connect/targets.ts';
import { ask } from '../terminal/confirm.ts';

/** The error text of Ctrl-C at a question. The command adds what has been changed. */
export const CANCEL_HINT = 'Interrupted.';

/** Asks a question that Enter answers with yes. The end of input is a no. */
export async function agrees(question: string): Promise<boolean> {
  const answer = await ask(`${question} [Y/n] `, CANCEL_HINT);
  return answer !== undefined && isYes(answer);
}

export interface ClientQuestion {
  readonly question: string;
  readonly targets: readonly ConnectTarget[];
  /** Shows the changes of all files. */
  showDiff(): void;
  showHint(text: string): void;
}

/** Asks which clients to connect. Returns undefined if the user declines. */
export async function chooseClients(asked: ClientQuestion): Promise<readonly ConnectTarget[] | undefined> {
  const { question, targets, showDiff } = asked;
  if (targets.length === 0) return (await agrees(question)) ? [] : undefined;
  const answer = await ask(`${question} [Y/n/pick/diff] `, CANCEL_HINT);
  if (answer === undefined || /^\s*no?\s*$/i.test(answer)) return undefined;
  if (isYes(answer)) return targets;
  if (/^\s*d(?:iff)?\s*$/i.test(answer)) showDiff();
  else {
    const chosen = /^\s*p(?:ick)?\s*$/i.test(answer) ? await askForNumbers(asked) : pick(answer, targets);
    if (chosen !== undefined) return chosen;
    asked.showHint(choicesText(targets));
  }
  return chooseClients(asked);
}

/** Asks again until the answer names clients, or none. Returns undefined at the end of input. */
async function askForNumbers(asked: ClientQuestion): Promise<readonly ConnectTarget[] | undefined> {
  const answer = await ask(PICK, CANCEL_HINT);
  if (answer === undefined) return undefined;
  if (answer.trim() === '') return [];
  const chosen = pick(answer, asked.targets);
  if (chosen !== undefined) return chosen;
  asked.showHint(choicesText(asked.targets));
  return askForNumbers(asked);
}

function choicesText(targets: readonly ConnectTarget[]): string {
  return `Choose from ${targets.map(({ client }, index) => `${index + 1} (${client.id})`).join(', ')}.`;
}

const PICK = 'Numbers of the clients to connect, separated by spaces (Enter alone: only import): ';

function isYes(answer: string): boolean {
  return /^\s*(?:y(?:es)?)?\s*$/i.test(answer);
}

/** Returns undefined if a word is neither a number nor a name of a client. */
function pick(answer: string, targets: readonly ConnectTarget[]): readonly ConnectTarget[] | undefined {
  const words = answer.split(/[\s,]+/).filter((word) => word !== '');
  if (words.length === 1 && words[0] === 'none') return [];
  const picked = words.map((word) =>
    /^\d+$/.test(word) ? targets[Number(word) - 1] : targets.find(({ client }) => client.id === word),
  );
  if (picked.length === 0 || picked.includes(undefined)) return undefined;
  return targets.filter((target) => picked.includes(target));
}
