import { neutralize } from '../../../base/text/safe-text.ts';
import { isObject } from '../../../wire/messages.ts';
import type { ElicitResult, Prompter } from '../../elicitation/answer-elicitation.ts';
import { columnsOf } from '../../output.ts';
import type { ProgressLine } from '../../terminal/progress-line.ts';
import { wrap } from '../../terminal/wrap.ts';

/** Answers what Codex asks during a turn. */
export interface Approver {
  /** How many requests were refused. */
  deniedCount(): number;
  answer(params: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<ElicitResult>;
}

interface ApproverOptions {
  readonly mode: 'ask' | 'deny';
  readonly line: ProgressLine;
  /** Called when the person presses Ctrl-C, or closes the terminal, instead of answering. */
  interrupt(): void;
}

/** Asks the person at the terminal, one request at a time, or refuses everything. Only a clear yes approves. */
export function createApprover({ mode, line, interrupt }: ApproverOptions): Approver {
  let denied = 0;
  let queue: Promise<unknown> = Promise.resolve();
  const ask = async (params: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<ElicitResult> => {
    const { openPrompter } = await import('../../elicitation/prompter.ts');
    line.pause();
    const prompter = openPrompter(signal);
    try {
      const answer = await promptFor(params, prompter);
      if (isDenial(answer) || signal.aborted) denied++;
      if (answer.action === 'cancel' && !signal.aborted) interrupt();
      return answer;
    } finally {
      prompter.close();
      line.resume();
    }
  };
  return {
    deniedCount: () => denied,
    answer(params, signal) {
      if (mode === 'deny') {
        denied++;
        line.print(`Denied: ${firstLine(params['message'])}`);
        return Promise.resolve({ action: 'decline' });
      }
      const pending = queue.then(() => ask(params, signal));
      queue = pending.catch(() => {});
      return pending;
    },
  };
}

function firstLine(message: unknown): string {
  return neutralize(String(message ?? ''), { multiline: true }).split('\n', 1)[0] ?? '';
}

/** A decision gets a short prompt of its own; any other form is filled in field by field. */
async function promptFor(params: Readonly<Record<string, unknown>>, prompter: Prompter): Promise<ElicitResult> {
  const options = decisionOptions(params['requestedSchema']);
  if (options === undefined) {
    const { answerElicitation } = await import('../../elicitation/answer-elicitation.ts');
    return answerElicitation('codex', params, prompter);
  }
  const message = neutralize(String(params['message'] ?? ''), { multiline: true });
  for (const text of ['', ...message.split('\n'), '', optionsLine(options)]) prompter.print(fitted(text));
  return promptDecision(options, prompter);
}

/** Wraps a line of ours. A quoted line of Codex or a file stays whole, so that it keeps its mark and can be copied. */
function fitted(line: string): string {
  return line.startsWith('> ') ? line : wrap(line, columnsOf(process.stderr));
}

function optionsLine(options: readonly string[]): string {
  const words = options.map((option) => SHORT_FORMS[option] ?? option);
  return `Options: ${words.join(', ')}. You can add a reason for Codex: "deny: not today".`;
}

const SHORT_FORMS: Readonly<Record<string, string>> = { approve: 'approve (y)', deny: 'deny (n)' };

const MAX_TRIES = 20;

async function promptDecision(options: readonly string[], prompter: Prompter): Promise<ElicitResult> {
  for (let tried = 0; tried < MAX_TRIES; tried++) {
    const typed = await prompter.prompt('Decide: ');
    if (typed === undefined) return { action: 'cancel' };
    const [word = '', ...note] = typed.split(':');
    const option = toOption(word.trim().toLowerCase(), options);
    const reason = note.join(':').trim();
    if (option !== undefined)
      return { action: 'accept', content: { decision: option, ...(reason === '' ? {} : { reason }) } };
    prompter.print(`  Type one of ${options.join(', ')}.`);
  }
  return { action: 'decline' };
}

function toOption(word: string, options: readonly string[]): string | undefined {
  const meant = SHORT.get(word) ?? word;
  return options.find((option) => option === meant);
}

const SHORT = new Map([
  ['y', 'approve'],
  ['yes', 'approve'],
  ['n', 'deny'],
  ['no', 'deny'],
]);

/** Returns the options of an approval; undefined for another form. */
function decisionOptions(schema: unknown): readonly string[] | undefined {
  const properties = isObject(schema) ? schema['properties'] : undefined;
  const decision = isObject(properties) ? properties['decision'] : undefined;
  const options = isObject(decision) ? decision['enum'] : undefined;
  return Array.isArray(options) ? options.filter((option) => typeof option === 'string') : undefined;
}

/** An open form without a decision is not an approval, so filling it in denies nothing. */
function isDenial(answer: ElicitResult): boolean {
  if (answer.action === 'decline') return true;
  const decision = answer.action === 'accept' ? answer.content?.['decision'] : undefined;
  return typeof decision === 'string' && !decision.startsWith('approve');
}
