import { neutralise } from '../../base/text/safe-text.ts';
import { isObject } from '../../wire/messages.ts';
import { serverAsks } from '../text/quoting.ts';
import { cutMiddle } from '../text/truncate.ts';
import type { Question, QuestionPart } from './approval-request.ts';

/** Asks whoever drives a session, without their having to look for the question. */
export interface Asker {
  ask(question: Question, options: { readonly timeoutMs: number; readonly signal: AbortSignal }): Promise<Verdict>;
}

export type Verdict =
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
export function createAsker(elicit: Elicit): Asker {
  return {
    async ask(question, options) {
      const form = toForm(question);
      const answer = await elicit({ message: form.message, requestedSchema: form.schema }, options);
      return readVerdict(answer, form);
    },
  };
}

interface Form {
  readonly message: string;
  readonly schema: Readonly<Record<string, unknown>>;
  /** Undefined when something that is required is not there. */
  toAnswers(content: Readonly<Record<string, unknown>>): readonly string[] | undefined;
}

function readVerdict(answer: unknown, form: Form): Verdict {
  const { action, content } = isObject(answer) ? answer : {};
  if (action === 'decline') return { kind: 'refused' };
  // The dialog was closed, which is no decision.
  if (action !== 'accept') return { kind: 'unanswered' };
  const answers = isObject(content) ? form.toAnswers(content) : undefined;
  // An acceptance that does not say what is accepted is none.
  return answers === undefined ? { kind: 'refused' } : { kind: 'answers', answers };
}

function toForm(question: Question): Form {
  const { type, parts, details } = question;
  if (type === 'mcp_elicitation' && isObject(details['schema'])) return serverForm(question, details['schema']);
  return type === 'user_input' ? questionsForm(parts) : decisionForm(question);
}

function decisionForm({ parts }: Question): Form {
  const [part] = parts;
  const options = part?.options ?? [];
  return {
    message: cutMiddle(part?.question ?? '', MAX_SHOWN_CHARS),
    schema: {
      type: 'object',
      properties: {
        decision: { type: 'string', title: 'Decision', enum: options },
        reason: { type: 'string', title: 'Reason', description: 'Optional: Codex is told.' },
      },
      required: ['decision'],
    },
    toAnswers({ decision, reason }) {
      const word = typeof decision === 'string' ? decision.trim().toLowerCase() : '';
      if (!options.includes(word)) return undefined;
      return [typeof reason === 'string' && reason.trim() !== '' ? `${word}: ${reason}` : word];
    },
  };
}

/** More than this no dialog shows. */
const MAX_SHOWN_CHARS = 8_000;

function questionsForm(parts: readonly QuestionPart[]): Form {
  const names = parts.map((_, index) => `answer${index + 1}`);
  const toMember = ({ question, options, isOpen }: QuestionPart) => {
    // The title also comes from the model, so it carries the mark of a quoted line.
    const title = question.split('\n').find((line) => line.startsWith('> ')) ?? '';
    const hint = isOpen === true && options.length > 0 ? { description: `> For example: ${options.join(', ')}` } : {};
    const text = { type: 'string', title, ...hint };
    return isOpen === true ? text : { ...text, enum: options };
  };
  return {
    message: parts.map(({ question }) => question).join('\n\n'),
    schema: {
      type: 'object',
      properties: Object.fromEntries(parts.map((part, index) => [names[index], toMember(part)])),
      required: names,
    },
    toAnswers(content) {
      const answers = names.map((name) => content[name]);
      return answers.every((answer) => typeof answer === 'string') ? answers : undefined;
    },
  };
}

/** What a server of the session asks goes to the person as it is; the answer is checked against its form later. */
function serverForm({ details }: Question, schema: Readonly<Record<string, unknown>>): Form {
  return {
    message: `${serverAsks(details['server'], String(details['message'] ?? ''))}\nThe fields were written by that server.`,
    schema: withoutHidden(schema),
    toAnswers: (content) => [JSON.stringify(content)],
  };
}

/** What a person reads of a schema, without what they would not see; names and values stay, because they are answers. */
function withoutHidden(schema: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, shown(key, value)]));
}

function shown(key: string, value: unknown): unknown {
  if (typeof value === 'string') return READ.has(key) ? neutralise(value) : value;
  if (Array.isArray(value)) return value.map((one) => shown(key, one));
  return isObject(value) ? withoutHidden(value) : value;
}

const READ: ReadonlySet<string> = new Set(['title', 'description', 'enumNames']);
