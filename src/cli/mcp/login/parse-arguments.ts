import { type ArgumentRules, fail, readArguments } from '../../arguments/parse-arguments.ts';

export interface LoginArguments {
  readonly id: string;
  readonly hasBrowser: boolean;
  readonly isDevice: boolean;
  /** Undefined: whatever the server wants. */
  readonly scopes: readonly string[] | undefined;
  readonly callbackPort: number | undefined;
  readonly timeoutMs: number;
  /** Without a terminal too. */
  readonly mustWait: boolean;
  readonly isJson: boolean;
}

export interface LogoutArguments {
  readonly id: string;
  readonly mustRevoke: boolean;
  readonly isJson: boolean;
}

export function readLoginArguments(args: readonly string[]): LoginArguments {
  const asked = readArguments(args, LOGIN);
  const scopes = asked.value('--scopes')?.split(/[\s,]+/);
  const seconds = readNumber('--timeout', asked.value('--timeout'), { min: 1, max: 86_400 });
  return {
    id: asked.words[0] ?? '',
    hasBrowser: !asked.has('--no-browser'),
    isDevice: asked.has('--device'),
    scopes: scopes?.filter((scope) => scope !== ''),
    callbackPort: readNumber('--callback-port', asked.value('--callback-port'), { min: 1, max: 65_535 }),
    timeoutMs: (seconds ?? TIMEOUT_SECONDS) * 1000,
    mustWait: asked.has('--wait'),
    isJson: asked.isJson,
  };
}

export function readLogoutArguments(args: readonly string[]): LogoutArguments {
  const asked = readArguments(args, LOGOUT);
  return { id: asked.words[0] ?? '', mustRevoke: !asked.has('--no-revoke'), isJson: asked.isJson };
}

const LOGIN: ArgumentRules = {
  command: 'switchboard mcp login',
  once: ['--scopes', '--callback-port', '--timeout'],
  flags: ['--no-browser', '--device', '--wait'],
  words: ['<id>'],
  needed: 1,
};
const LOGOUT: ArgumentRules = {
  command: 'switchboard mcp logout',
  flags: ['--no-revoke'],
  words: ['<id>'],
  needed: 1,
};
const TIMEOUT_SECONDS = 300;

function readNumber(
  name: string,
  text: string | undefined,
  { min, max }: { readonly min: number; readonly max: number },
): number | undefined {
  if (text === undefined) return undefined;
  const number = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (number >= min && number <= max) return number;
  throw fail(LOGIN, `${name} must be a whole number from ${min} to ${max}.`);
}
