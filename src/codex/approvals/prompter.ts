import { omitUndefined } from '../../base/omit-undefined.ts';
import { neutralize } from '../../base/text/safe-text.ts';
import type { ToolContext } from '../../serve/context.ts';
import { isObject } from '../../wire/messages.ts';
import { mcpServerQuestion } from '../text/quoting.ts';
import { truncateMiddle } from '../text/truncate.ts';
import type { ApprovalQuestion, ApprovalRequest } from './approval-request.ts';

/** Prompts the client that drives a session, without the client having to poll. */
export interface ApprovalPrompter {
  /** Whether it prompts within the call that has started the turn. */
  readonly isPartOfCall?: boolean;
  /** Returns whether a prompt reaches the client now. Default: it always does. */
  canPrompt?(): boolean;
  prompt(
    request: ApprovalRequest,
    options: { readonly timeoutMs: number; readonly signal: AbortSignal },
  ): Promise<PromptOutcome>;
}

export type PromptOutcome =
  /** One answer per question, in the format of `codex_respond`. */
  | { readonly kind: 'answers'; readonly answers: readonly string[] }
  /** An explicit refusal, or a response that cannot be distinguished from one. */
  | { readonly kind: 'refused' }
  /** No response: the request waits for `codex_respond`. */
  | { readonly kind: 'unanswered' }
  /** The client cannot show a prompt: the request waits for `codex_respond`, if that may decide. */
  | { readonly kind: 'unsupported' };

/** Sends `elicitation/create` with these params and returns the raw response. */
type Elicit = (
  params: Readonly<Record<string, unknown>>,
  options: { readonly timeoutMs: number; readonly signal: AbortSignal },
) => Promise<unknown>;

/** Prompts through MCP elicitation, with a form for the options or with the form of an MCP server of the session. */
export function createElicitationPrompter(elicit: Elicit): ApprovalPrompter {
  return {
    async prompt(request, options) {
      const form = toForm(request);
      const answer = await elicit({ message: form.message, requestedSchema: form.schema }, options);
      return toPromptOutcome(answer, form);
    },
  };
}

/** Prompts through a call that is in progress. */
export function createCallPrompter(elicit: ToolContext['elicit']): ApprovalPrompter {
  return createElicitationPrompter(({ message, requestedSchema }, options) =>
    elicit({ message: String(message), schema: isObject(requestedSchema) ? requestedSchema : {} }, options),
  );
}

interface ElicitationForm {
  readonly message: string;
  readonly schema: Readonly<Record<string, unknown>>;
  /** Returns undefined if a required field is missing. */
  toAnswers(content: Readonly<Record<string, unknown>>): readonly string[] | undefined;
}

function toPromptOutcome(answer: unknown, form: ElicitationForm): PromptOutcome {
  const { action, content } = isObject(answer) ? answer : {};
  if (action === 'decline') return { kind: 'refused' };
  // The user closed the dialog, which is not a decision.
  if (action !== 'accept') return { kind: 'unanswered' };
  const answers = isObject(content) ? form.toAnswers(content) : undefined;
  // Acceptance without a valid choice counts as a refusal.
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
    schema: decisionSchema(options),
    toAnswers({ decision, reason }) {
      const option = typeof decision === 'string' ? decision.trim().toLowerCase() : '';
      if (!options.includes(option)) return undefined;
      return [typeof reason === 'string' && reason.trim() !== '' ? `${option}: ${reason}` : option];
    },
  };
}

/** The form for one of several options and an optional reason. */
export function decisionSchema(options: readonly string[], description?: string) {
  return {
    type: 'object',
    properties: {
      decision: { type: 'string', title: 'Decision', ...omitUndefined({ description }), enum: options },
      reason: { type: 'string', title: 'Reason', description: 'Optional. Sent to Codex.' },
    },
    required: ['decision'],
  };
}

/** The longest message to show in a dialog. */
const MAX_DISPLAYED_CHARS = 8_000;

function userInputForm(questions: readonly ApprovalQuestion[]): ElicitationForm {
  const names = questions.map((_, index) => `answer${index + 1}`);
  const toProperty = ({ question, options, isOpen }: ApprovalQuestion) => {
    // The title also comes from the model, so it keeps the prefix of a quoted line.
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

/** Forwards the form of an MCP server of the session to the person. The response is validated against it later. */
function mcpForm({ details }: ApprovalRequest, schema: Readonly<Record<string, unknown>>): ElicitationForm {
  return {
    message: `${mcpServerQuestion(details['server'], String(details['message'] ?? ''))}\nThe fields were written by that server.`,
    schema: neutralizeSchema(schema),
    toAnswers: (content) => [JSON.stringify(content)],
  };
}

/** Neutralizes the displayed texts of a schema. Names and values stay, because they are part of the response. */
function neutralizeSchema(schema: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, neutralizeValue(key, value)]));
}

function neutralizeValue(key: string, value: unknown): unknown {
  if (typeof value === 'string') return DISPLAYED_KEYS.has(key) ? neutralize(value) : value;
  if (Array.isArray(value)) return value.map((one) => neutralizeValue(key, one));
  return isObject(value) ? neutralizeSchema(value) : value;
}

const DISPLAYED_KEYS: ReadonlySet<string> = new Set(['title', 'description', 'enumNames']);
