import { isObject, type JsonObject } from './json.ts';
import { BadScript, type Call, isLast, type Step, type Usage } from './steps.ts';

type Decoder<T> = (value: unknown, at: string, step: JsonObject) => T;

const MAX_WAIT_MS = 60_000;
const USAGE_KEYS = ['input_tokens', 'cached_input_tokens', 'output_tokens', 'reasoning_output_tokens'] as const;
const SECOND_KEY: { readonly [kind: string]: string } = { shell: 'options', deltas: 'paceMs' };

/** Decodes the JSON of a script into steps. Throws a BadScript that names the invalid step and the reason. */
export function decodeSteps(value: unknown): readonly Step[] {
  const steps = list(value, 'script').map((step, n) => decode(stepDecoders, step, `step ${n}`));
  const end = steps.findIndex(isLast);
  if (end !== -1 && end < steps.length - 1) throw new BadScript(`step ${end + 1}: nothing can follow step ${end}`);
  return steps;
}

const callDecoders = new Map<string, Decoder<Call>>([
  ['shell', (value, at, step) => ({ shell: text(value, at), options: object(step['options'] ?? {}, `${at} options`) })],
  ['patch', (value, at) => ({ patch: text(value, at) })],
  [
    'mcp',
    (value, at) => ({
      mcp: { server: textIn(value, at, 'server'), tool: textIn(value, at, 'tool'), arguments: argumentsIn(value, at) },
    }),
  ],
  ['tool', (value, at) => ({ tool: { name: textIn(value, at, 'name'), arguments: argumentsIn(value, at) } })],
  ['javascript', (value, at) => ({ javascript: text(value, at) })],
]);

const stepDecoders = new Map<string, Decoder<Step>>([
  ...callDecoders,
  ['calls', (value, at) => ({ calls: list(value, at).map((call, n) => decode(callDecoders, call, `${at}[${n}]`)) })],
  ['message', (value, at) => ({ message: text(value, at) })],
  [
    'deltas',
    (value, at, step) => ({
      deltas: list(value, at).map((piece, n) => text(piece, `${at}[${n}]`)),
      paceMs: integer(step['paceMs'] ?? 0, `${at} paceMs`, { min: 0, max: MAX_WAIT_MS }),
    }),
  ],
  ['reasoning', (value, at) => ({ reasoning: text(value, at) })],
  ['delayMs', (value, at) => ({ delayMs: integer(value, at, { min: 0, max: MAX_WAIT_MS }) })],
  ['usage', (value, at) => ({ usage: usage(value, at) })],
  ['error', (value, at) => ({ error: integer(value, at, { min: 400, max: 599 }) })],
  ['failed', (value, at) => ({ failed: { code: textIn(value, at, 'code'), message: textIn(value, at, 'message') } })],
  ['hang', (value, at) => ({ hang: yes(value, at) })],
  ['cut', (value, at) => ({ cut: yes(value, at) })],
]);

function decode<T>(decoders: ReadonlyMap<string, Decoder<T>>, value: unknown, at: string): T {
  const step = object(value, at);
  const keys = Object.keys(step);
  const kind = keys.find((key) => decoders.has(key)) ?? keys[0] ?? '';
  const decoder = decoders.get(kind);
  if (decoder === undefined) throw new BadScript(`${at}: unknown kind "${kind}"`);
  const stranger = keys.find((key) => key !== kind && key !== SECOND_KEY[kind]);
  if (stranger !== undefined) throw new BadScript(`${at}: "${kind}" has no "${stranger}"`);
  return decoder(step[kind], `${at}: ${kind}`, step);
}

function argumentsIn(value: unknown, at: string): JsonObject {
  return object(object(value, at)['arguments'] ?? {}, `${at}.arguments`);
}

function textIn(value: unknown, at: string, key: string): string {
  return text(object(value, at)[key], `${at}.${key}`);
}

function usage(value: unknown, at: string): Usage {
  const from = object(value, at);
  const stranger = Object.keys(from).find((key) => !USAGE_KEYS.some((known) => known === key));
  if (stranger !== undefined) throw new BadScript(`${at} has no "${stranger}"`);
  const range = { min: 0, max: Number.MAX_SAFE_INTEGER };
  return Object.fromEntries(Object.entries(from).map(([key, count]) => [key, integer(count, `${at}.${key}`, range)]));
}

function object(value: unknown, at: string): JsonObject {
  if (!isObject(value)) throw new BadScript(`${at} must be an object`);
  return value;
}

function list(value: unknown, at: string): readonly unknown[] {
  if (!Array.isArray(value) || value.length === 0) throw new BadScript(`${at} must be a non-empty list`);
  return value;
}

function text(value: unknown, at: string): string {
  if (typeof value !== 'string') throw new BadScript(`${at} must be a string`);
  return value;
}

function integer(value: unknown, at: string, range: { min: number; max: number }): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= range.min && value <= range.max) return value;
  throw new BadScript(`${at} must be a whole number from ${range.min} to ${range.max}`);
}

function yes(value: unknown, at: string): true {
  if (value !== true) throw new BadScript(`${at} must be true`);
  return value;
}
