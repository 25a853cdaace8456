import { neutralise } from '../../base/text/safe-text.ts';
import { isObject } from '../../wire/messages.ts';
import { mcpServerQuestion } from '../text/quoting.ts';
import { truncateMiddle } from '../text/truncate.ts';
import type { ApprovalQuestion, ApprovalRequest } from './approval-request.ts';

/** Asks whoever drives a session, without their having to look for the question. */
export interface ApprovalPrompter {
  prompt(
    request: ApprovalRequest,
    options: { readonly timeoutMs: number; readonly signal: AbortSignal },
  ): Promise<PromptOutcome>;
}

export type PromptOutcome =
  /** One answer per part of the question, as `codex_respond` takes them. */
  | { readonly kind: 'answers'; readonly answers: readonly string[] }
  /** A clear no, or something that cannot be told from one. */
  | { readonly kind: 'refused' }
  /** No answer: the question waits for `codex_respond`. */
  | { readonly kind: 'unanswered' };

/** Sends `elicitation/create` with these params and gives the raw answer. */
type Elicit = (
  params: Readonly<Record<string, unknown>>,
  options: { readonly timeoutMs: number; readonly signal: AbortSignal },
) => Promise<unknown>;

/** Asks by MCP's own elicitation: a form with the options, or with the form that a server of the session wants filled. */
export function createElicitationPrompter(elicit: Elicit): ApprovalPrompter {
  return {
    async prompt(request, options) {
      const form = toForm(request);
      const answer = await elicit({ message: form.message, requestedSchema: form.schema }, options);
      return toPromptOutcome(answer, form);
    },
  };
}

interface ElicitationForm {
  readonly message: string;
  readonly schema: Readonly<Record<string, unknown>>;
  /** Undefined when something that is required is not there. */
  toAnswers(content: Readonly<Record<string, unknown>>): readonly string[] | undefined;
}

function toPromptOutcome(answer: unknown, form: ElicitationForm): PromptOutcome {
  const { action, content } = isObject(answer) ? answer : {};
  if (action === 'decline') return { kind: 'refused' };
  // The dialog was closed, which is no decision.
  if (action !== 'accept') return { kind: 'unanswered' };
  const answers = isObject(content) ? form.toAnswers(content) : undefined;
  // An acceptance that does not say what is accepted is none.
  return answers === undefined ? { kind: 'refused' } : { kind: 'answers', answers };
}

function toForm(request: ApprovalRequest): ElicitationForm {
  const { type, questions, details } = request;
  if (type === 'mcp_elicitation' && isObject(details['schema'])) return mcpForm(request, details['schema']);
  return type === 'user_input' ? userInputForm(questions) : decisionForm(request);
}

function decisionForm({ questions }: ApprovalRequest): ElicitationForm {
  const [part] = questions;
  const options = part?.options ?? [];
  return {
    message: truncateMiddle(part?.question ?? '', MAX_DISPLAYED_CHARS),
    schema: {
      type: 'object',
      properties: {
        decision: { type: 'string', title: 'Decision', enum: options },
        reason: { type: 'string', title: 'Reason', description: 'Optional: Codex is told.' },
      },
      required: ['decision'],
    },
    toAnswers({ decision, reason }) {
      const option = typeof decision === 'string' ? decision.trim().toLowerCase() : '';
      if (!options.includes(option)) return undefined;
      return [typeof reason === 'string' && reason.trim() !== '' ? `${option}: ${reason}` : option];
    },
  };
}

/** More than this no dialog shows. */
const MAX_DISPLAYED_CHARS = 8_000;

function userInputForm(questions: readonly ApprovalQuestion[]): ElicitationForm {
  const names = questions.map((_, index) => `answer${index + 1}`);
  const toProperty = ({ question, options, isOpen }: ApprovalQuestion) => {
    // The title also comes from the model, so it carries the mark of a quoted line.
    const title = question.split('\n').find((line) => line.startsWith('> ')) ?? '';
    const hint = isOpen === true && options.length > 0 ? { description: `> For example: ${options.join(', ')}` } : {};
    const text = { type: 'string', title, ...hint };
    return isOpen === true ? text : { ...text, enum: options };
  };
  return {
    message: questions.map(({ question }) => question).join('\n\n'),
    schema: {
      type: 'object',
      properties: Object.fromEntries(questions.map((part, index) => [names[index], toProperty(part)])),
      required: names,
    },
    toAnswers(content) {
      const answers = names.map((name) => content[name]);
      return answers.every((answer) => typeof answer === 'string') ? answers : undefined;
    },
  };
}

/** What a server of the session asks goes to the person as it is; the answer is checked against its form later. */
function mcpForm({ details }: ApprovalRequest, schema: Readonly<Record<string, unknown>>): ElicitationForm {
  return {
    message: `${mcpServerQuestion(details['server'], String(details['message'] ?? ''))}\nThe fields were written by that server.`,
    schema: neutraliseSchema(schema),
    toAnswers: (content) => [JSON.stringify(content)],
  };
}

/** What a person reads of a schema, without what they would not see; names and values stay, because they are answers. */
function neutraliseSchema(schema: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, neutraliseValue(key, value)]));
}

function neutraliseValue(key: string, value: unknown): unknown {
  if (typeof value === 'string') return DISPLAYED_KEYS.has(key) ? neutralise(value) : value;
  if (Array.isArray(value)) return value.map((one) => neutraliseValue(key, one));
  return isObject(value) ? neutraliseSchema(value) : value;
}

const DISPLAYED_KEYS: ReadonlySet<string> = new Set(['title', 'description', 'enumNames']);
