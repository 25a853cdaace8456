import { AppError } from '../../base/errors.ts';
import { isObject } from '../../wire/messages.ts';
import { capabilityMissing } from '../client-capabilities.ts';
import type { CallLink } from '../context.ts';
import type { InputRequestOptions } from '../eras/input-request.ts';

/** A request to the model of the client. Has the members of `sampling/createMessage`. */
export interface SampleRequest {
  /** The conversation, or the text of a single user message. */
  readonly messages: string | readonly SampleMessage[];
  readonly maxTokens: number;
  readonly systemPrompt?: string;
  readonly temperature?: number;
  readonly stopSequences?: readonly string[];
  /** `hints`, `costPriority`, `speedPriority` and `intelligencePriority`. */
  readonly modelPreferences?: Readonly<Record<string, unknown>>;
  readonly includeContext?: 'none' | 'thisServer' | 'allServers';
  /** Tools that the model may call. Few clients support them. */
  readonly tools?: readonly Readonly<Record<string, unknown>>[];
  readonly toolChoice?: Readonly<Record<string, unknown>>;
  readonly metadata?: Readonly<Record<string, unknown>>;
}

export interface SampleMessage {
  readonly role: 'user' | 'assistant';
  readonly content: SampleContent | readonly SampleContent[];
}

/** A block of text, an image, audio, or a call of a tool and its result. */
export type SampleContent = Readonly<{ type: string; [member: string]: unknown }>;

export interface SampleResult extends SampleMessage {
  /** The text of the answer, without its other blocks. */
  readonly text: string;
  /** The model that the client chose. */
  readonly model: string;
  readonly stopReason?: string;
}

export async function sample(
  link: CallLink,
  request: SampleRequest,
  options?: InputRequestOptions,
): Promise<SampleResult> {
  checkRequest(request);
  checkCapability(link.capabilities, request);
  const { messages, ...rest } = request;
  const conversation = typeof messages === 'string' ? [toMessage(messages)] : messages;
  const params = { messages: conversation, ...rest };
  return readAnswer(await link.requestClient('sampling/createMessage', params, options));
}

/** Throws for mistakes that the types would catch, for callers in JavaScript. */
function checkRequest(request: unknown): void {
  const { messages, maxTokens } = isObject(request) ? request : {};
  const hasMessages = typeof messages === 'string' || (Array.isArray(messages) && messages.every(isMessage));
  if (hasMessages && Number.isInteger(maxTokens) && Number(maxTokens) > 0) return;
  throw new AppError('USAGE', 'sample() needs messages, a text or a list of { role, content }, and maxTokens.');
}

function checkCapability(capabilities: unknown, { tools, toolChoice }: SampleRequest): void {
  const declared = isObject(capabilities) ? capabilities['sampling'] : undefined;
  if (!isObject(declared))
    throw capabilityMissing('The tool needs a model, but the client did not declare sampling.', { sampling: {} });
  if ((tools !== undefined || toolChoice !== undefined) && !isObject(declared['tools']))
    throw capabilityMissing('The tool needs a model that calls tools, but the client did not declare sampling.tools.', {
      sampling: { tools: {} },
    });
}

function toMessage(text: string): SampleMessage {
  return { role: 'user', content: { type: 'text', text } };
}

function readAnswer(answer: unknown): SampleResult {
  if (!isObject(answer) || !isMessage(answer) || typeof answer['model'] !== 'string')
    throw new AppError('BAD_ANSWER', 'The client answered sampling/createMessage without a role, content or model.');
  return { ...answer, model: answer['model'], text: textOf(answer.content) };
}

function isMessage(value: unknown): value is SampleMessage {
  if (!isObject(value) || (value['role'] !== 'user' && value['role'] !== 'assistant')) return false;
  return blocksOf(value['content']).every((block) => isObject(block) && typeof block['type'] === 'string');
}

function textOf(content: SampleMessage['content']): string {
  return blocksOf(content)
    .map((block) => (isObject(block) && typeof block['text'] === 'string' ? block['text'] : ''))
    .join('');
}

function blocksOf(content: unknown): readonly unknown[] {
  return Array.isArray(content) ? content : [content];
}
