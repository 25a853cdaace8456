import { AppError } from '../base/errors.ts';
import { oneLine } from '../base/text/safe-text.ts';
import { isObject } from '../wire/messages.ts';

/** Rejects unknown and malformed options. Without types, a misspelled option would have no effect and go unnoticed. */
export function checkHostOptions(options: unknown): void {
  if (!isObject(options)) throw new AppError('USAGE', 'createHost takes an object with options, or no argument.');
  for (const [name, value] of Object.entries(options)) {
    const rule = Object.hasOwn(RULES, name) ? RULES[name] : undefined;
    if (rule === undefined) {
      const known = Object.keys(RULES).join(', ');
      throw new AppError('USAGE', `createHost has no option ${oneLine(JSON.stringify(name), 100)}. Options: ${known}.`);
    }
    if (value !== undefined && !rule.isValid(value))
      throw new AppError('USAGE', `The option ${name} of createHost must be ${expectationText(rule, value)}.`);
  }
}

interface Rule {
  readonly isValid: (value: unknown) => boolean;
  /** The expected value, as the end of a sentence. The function form also names the actual value. */
  readonly text: string | ((value: unknown) => string);
}

function expectationText({ text: expectation }: Rule, value: unknown): string {
  return typeof expectation === 'string' ? expectation : expectation(value);
}

const text: Rule = { isValid: (value) => typeof value === 'string' && value !== '', text: 'a text' };
const call: Rule = { isValid: (value) => typeof value === 'function', text: 'a function' };
const flag: Rule = { isValid: (value) => typeof value === 'boolean', text: 'true or false' };
const object: Rule = { isValid: isObject, text: 'an object' };

const LEVELS = ['debug', 'info', 'warn', 'error'];

const RULES: Readonly<Record<string, Rule>> = {
  config: {
    isValid: (value) => (typeof value === 'string' ? value !== '' : typeof value === 'object' && value !== null),
    text: 'the path of a file, or an object with servers in it',
  },
  only: {
    isValid: (value) => Array.isArray(value) && value.length > 0 && value.every((id) => typeof id === 'string'),
    text: 'a list of server ids with at least one in it',
  },
  permissions: object,
  signIn: call,
  clientMetadataUrl: text,
  onElicitation: call,
  onSampling: call,
  roots: {
    isValid: (value) => Array.isArray(value) && value.map(uriOf).every(isFileAddress),
    text(value) {
      const uris: readonly unknown[] = Array.isArray(value) ? value.map(uriOf) : [undefined];
      if (!uris.every((uri) => typeof uri === 'string')) return 'a list of roots, each with a uri';
      const others = uris.filter((uri) => !isFileAddress(uri)).map((uri) => oneLine(JSON.stringify(uri), 100));
      return `a list of roots with file:// URIs, not ${others.join(', ')}: use pathToFileURL of node:url to convert a path`;
    },
  },
  promptsAsTools: flag,
  maxResultBytes: {
    isValid: (value) => Number.isSafeInteger(value) && Number(value) >= MIN_RESULT_BYTES,
    text: 'a whole number of bytes, at least 256',
  },
  name: text,
  version: text,
  log: call,
  logLevel: { isValid: (value) => LEVELS.includes(String(value)), text: `one of ${LEVELS.join(', ')}` },
  onChange: call,
  isVisible: flag,
  cwd: text,
  env: object,
};

function uriOf(root: unknown): unknown {
  return isObject(root) ? root['uri'] : undefined;
}

/** MCP allows only `file://` roots: servers treat them as folders. */
function isFileAddress(uri: unknown): boolean {
  return typeof uri === 'string' && /^file:\/\//i.test(uri) && URL.canParse(uri);
}

/** Less would not even hold the marker that says how to read the rest. */
const MIN_RESULT_BYTES = 256;
