import type { ObjectShape, Shape } from './shape.ts';

/** The kinds of definitions that a server can list, named by their key in the response. */
export type DefinitionKind = 'tools' | 'prompts' | 'resources' | 'resourceTemplates';

export interface KindRules {
  /** For messages. */
  readonly label: string;
  /** The member that identifies an item: a client sends exactly this value back. */
  readonly key: 'name' | 'uri' | 'uriTemplate';
  readonly maxKeyLength: number;
  readonly shape: ObjectShape;
}

const MAX_NAME_LENGTH = 1000;
const MAX_URI_LENGTH = 64 * 1024;

const text: Shape = { kind: 'text' };
const flag: Shape = { kind: 'flag' };
const number: Shape = { kind: 'value', expected: 'a number', isValid: Number.isFinite };
const sizes: Shape = {
  kind: 'value',
  expected: 'a list of texts',
  isValid: isListOf((value) => typeof value === 'string'),
};
const audience: Shape = { kind: 'value', expected: 'a list of roles', isValid: isListOf(isOneOf('user', 'assistant')) };
const priority: Shape = { kind: 'value', expected: 'a number from 0 to 1', isValid: isFraction };
const lastModified: Shape = { kind: 'value', expected: 'a time', isValid: isTime };
const theme: Shape = { kind: 'value', expected: 'light or dark', isValid: isOneOf('light', 'dark') };
const taskSupport: Shape = {
  kind: 'value',
  expected: 'one of required, optional, forbidden',
  isValid: isOneOf('required', 'optional', 'forbidden'),
};

const icon = object({ src: text, mimeType: text, sizes, theme });
const icons: Shape = { kind: 'list', of: icon, requiredMember: 'src' };
const common = { title: text, description: text, icons, _meta: object({}) };

const toolAnnotations = object({
  title: text,
  readOnlyHint: flag,
  destructiveHint: flag,
  idempotentHint: flag,
  openWorldHint: flag,
});
const promptArgument = object({ title: text, description: text, required: flag });
const resource = { ...common, mimeType: text, annotations: object({ audience, priority, lastModified }) };

export const KINDS: Readonly<Record<DefinitionKind, KindRules>> = {
  tools: {
    label: 'tool',
    key: 'name',
    maxKeyLength: MAX_NAME_LENGTH,
    shape: object({
      ...common,
      inputSchema: { kind: 'inputSchema' },
      outputSchema: { kind: 'outputSchema' },
      annotations: toolAnnotations,
      execution: object({ taskSupport }),
    }),
  },
  prompts: {
    label: 'prompt',
    key: 'name',
    maxKeyLength: MAX_NAME_LENGTH,
    shape: object({ ...common, arguments: { kind: 'list', of: promptArgument, requiredMember: 'name' } }),
  },
  resources: {
    label: 'resource',
    key: 'uri',
    maxKeyLength: MAX_URI_LENGTH,
    shape: object({ ...resource, size: number }),
  },
  resourceTemplates: {
    label: 'resource template',
    key: 'uriTemplate',
    maxKeyLength: MAX_URI_LENGTH,
    shape: object(resource),
  },
};

function object(members: Readonly<Record<string, Shape>>): ObjectShape {
  return { kind: 'object', members: Object.entries(members) };
}

function isListOf(isElement: (value: unknown) => boolean): (value: unknown) => boolean {
  return (value) => Array.isArray(value) && value.every(isElement);
}

function isOneOf(...words: readonly unknown[]): (value: unknown) => boolean {
  return (value) => words.includes(value);
}

function isFraction(value: unknown): boolean {
  return typeof value === 'number' && value >= 0 && value <= 1;
}

/**
 * Returns whether a value is a time as the protocol requires: ISO 8601 with seconds and a zone, and a day that exists,
 * because `Date` accepts 30 February.
 */
function isTime(value: unknown): boolean {
  if (typeof value !== 'string' || !ISO_TIME.test(value) || Number.isNaN(Date.parse(value))) return false;
  const clock = value.slice(0, 'YYYY-MM-DDThh:mm:ss'.length);
  return new Date(`${clock}Z`).toISOString().startsWith(clock);
}

const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;
