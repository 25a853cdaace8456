import { AppError } from '../../../../base/errors.ts';
import { neutralize } from '../../../../base/text/safe-text.ts';
import type { JsonObject } from '../../../../wire/messages.ts';
import type { ApprovalRequest, ApprovalType, Decision } from '../../../approvals/approval-request.ts';
import { stringOf } from '../../../json-values.ts';

export interface ChoiceOptions {
  readonly type: ApprovalType;
  readonly params: JsonObject;
  /** The first line says what Codex wants to do; further lines, why and where. */
  readonly lines: readonly (string | undefined)[];
  readonly details: JsonObject;
  /** The possible options, each with the response for Codex. */
  readonly answers: readonly (readonly [option: string, response: unknown])[];
  readonly refusal: unknown;
  readonly cancellation: unknown;
}

/** Creates a request with one question. The answer is an option, optionally with a colon and a note for the model. */
export function createChoice(choice: ChoiceOptions): ApprovalRequest {
  const { type, params, details, refusal, cancellation } = choice;
  const options = choice.answers.map(([option]) => option);
  const responses = new Map(choice.answers);
  return {
    type,
    turnId: stringOf(params['turnId']),
    itemId: stringOf(params['itemId']),
    questions: [{ question: joinLines(choice.lines), options }],
    details,
    refusal,
    cancellation,
    decide(answers): Decision {
      assertAnswerCount(answers, 1);
      const { option: word, note } = splitAnswer(answers[0] ?? '');
      const option = findOption(word, options);
      if (option === undefined) throw invalidAnswer(word, options);
      const isApproval = APPROVAL_OPTIONS.has(option);
      const decision = { response: responses.get(option), note, isApproval, summary: option };
      return PERMANENT_OPTIONS.has(option) ? { ...decision, isPermanent: true } : decision;
    },
  };
}

const PERMANENT_OPTIONS: ReadonlySet<string> = new Set(['approve_rule', 'approve_always']);
const APPROVAL_OPTIONS: ReadonlySet<string> = new Set(['approve', 'approve_session', ...PERMANENT_OPTIONS]);

/** Joins the non-empty lines, made safe to display. Text from elsewhere must have passed through `quoting.ts`. */
export function joinLines(lines: readonly (string | undefined)[]): string {
  return neutralize(lines.filter((line) => line !== undefined && line !== '').join('\n'), { multiline: true });
}

/** Finds an option by its exact name, otherwise ignoring case. */
export function findOption(word: string, options: readonly string[]): string | undefined {
  if (options.includes(word)) return word;
  const alike = options.filter((option) => option.toLowerCase() === word.toLowerCase());
  return alike.length === 1 ? alike[0] : undefined;
}

export function assertAnswerCount(answers: readonly string[], wanted: number): void {
  if (answers.length === wanted) return;
  const text = `answers must contain one answer per question: ${wanted} ${wanted === 1 ? 'is' : 'are'} expected, ${answers.length} given.`;
  throw new AppError('BAD_ARGUMENTS', text);
}

export function invalidAnswer(answer: string, options: readonly string[], more = ''): AppError {
  const shown = answer.length > MAX_DISPLAYED_CHARS ? `${answer.slice(0, MAX_DISPLAYED_CHARS)}…` : answer;
  return new AppError(
    'BAD_ARGUMENTS',
    `${JSON.stringify(shown)} is not a valid answer to this question. Options: ${options.join(', ')}${more}.`,
  );
}

/** Splits `"deny: too risky: really"` into the option `deny` and the note `too risky: really`. */
function splitAnswer(answer: string): { option: string; note: string | undefined } {
  const colon = answer.indexOf(':');
  if (colon === -1) return { option: answer.trim(), note: undefined };
  const note = answer.slice(colon + 1).trim();
  return { option: answer.slice(0, colon).trim(), note: note === '' ? undefined : note };
}

const MAX_DISPLAYED_CHARS = 80;
