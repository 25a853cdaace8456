import { type ArgumentRules, parseArguments, usageError } from '../../arguments/parse-arguments.ts';

export interface LoginArguments {
  readonly id: string;
  readonly hasBrowser: boolean;
  readonly isDevice: boolean;
  /** Undefined requests the scopes that the server names. */
  readonly scopes: readonly string[] | undefined;
  readonly callbackPort: number | undefined;
  readonly timeoutMs: number;
  /** Waits even without a terminal. */
  readonly mustWait: boolean;
  readonly isJson: boolean;
}

export interface LogoutArguments {
  readonly id: string;
  readonly mustRevoke: boolean;
  readonly isJson: boolean;
}

export function parseLoginArguments(args: readonly string[]): LoginArguments {
  const parsed = parseArguments(args, LOGIN);
  const scopes = parsed.value('--scopes')?.split(/[\s,]+/);
  const seconds = parseNumber('--timeout', parsed.value('--timeout'), { min: 1, max: 86_400 });
  return {
    id: parsed.positionals[0] ?? '',
    hasBrowser: !parsed.has('--no-browser'),
    isDevice: parsed.has('--device'),
    scopes: scopes?.filter((scope) => scope !== ''),
    callbackPort: parseNumber('--callback-port', parsed.value('--callback-port'), { min: 1, max: 65_535 }),
    timeoutMs: (seconds ?? TIMEOUT_SECONDS) * 1000,
    mustWait: parsed.has('--wait'),
    isJson: parsed.isJson,
  };
}

export function parseLogoutArguments(args: readonly string[]): LogoutArguments {
  const parsed = parseArguments(args, LOGOUT);
  return { id: parsed.positionals[0] ?? '', mustRevoke: !parsed.has('--no-revoke'), isJson: parsed.isJson };
}

const LOGIN: ArgumentRules = {
  command: 'switchboard mcp login',
  options: ['--scopes', '--callback-port', '--timeout'],
  flags: ['--no-browser', '--device', '--wait'],
  positionals: ['<id>'],
  requiredPositionals: 1,
};
const LOGOUT: ArgumentRules = {
  command: 'switchboard mcp logout',
  flags: ['--no-revoke'],
  positionals: ['<id>'],
  requiredPositionals: 1,
};
/** How long a person may take to sign in. */
export const TIMEOUT_SECONDS = 300;

function parseNumber(
  name: string,
  text: string | undefined,
  { min, max }: { readonly min: number; readonly max: number },
): number | undefined {
  if (text === undefined) return undefined;
  const number = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (number >= min && number <= max) return number;
  throw usageError(LOGIN, `${name} must be a whole number from ${min} to ${max}.`);
}
