import { AppError } from '../base/errors.ts';
import type { ProfileName } from '../schema/profiles/profile.ts';

export interface GatewayOptions {
  readonly config: string | undefined;
  readonly only: readonly string[];
  readonly hasPrefix: boolean;
  /** Undefined: as each client needs. */
  readonly profile: ProfileName | undefined;
  /** Servers that are known from before are started at their first call. */
  readonly isLazy: boolean;
  readonly trace: string | undefined;
  readonly isCheck: boolean;
  /** A server, or a server and a tool, about which everything is to be told. */
  readonly explain: string | undefined;
  readonly isJson: boolean;
  /** What stands after `--`. */
  readonly command: readonly string[] | undefined;
}

/** Reads the options of `switchboard gateway`. An option that nobody knows is refused, not passed over. */
export function readGatewayOptions(args: readonly string[]): GatewayOptions {
  const end = args.indexOf('--');
  const own = end === -1 ? args : args.slice(0, end);
  const values = readValues(own);
  const idle =
    end === -1
      ? undefined
      : ['--config', '--only', '--prefix', '--lazy', '--check', '--explain'].find((name) => values.has(name));
  if (idle !== undefined)
    throw new AppError('USAGE', `${idle} is about servers of a config, and -- names the one server.`);
  const prefix = values.get('--prefix') ?? 'on';
  if (prefix !== 'on' && prefix !== 'off')
    throw new AppError('USAGE', `--prefix is on or off, not ${JSON.stringify(prefix)}.`);
  return {
    config: values.get('--config'),
    only: (values.get('--only') ?? '')
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== ''),
    hasPrefix: prefix === 'on',
    profile: readProfile(values.get('--profile') ?? 'auto'),
    isLazy: values.has('--lazy'),
    trace: values.get('--trace'),
    isCheck: values.has('--check'),
    explain: values.get('--explain'),
    isJson: values.has('--json'),
    command: end === -1 ? undefined : args.slice(end + 1),
  };
}

const WITH_VALUE = new Set(['--config', '--only', '--prefix', '--profile', '--trace', '--explain']);
const FLAGS = new Set(['--lazy', '--check', '--json']);

function readProfile(name: string): ProfileName | undefined {
  if (name === 'auto') return undefined;
  const profile = PROFILE_NAMES.find((known) => known === name);
  if (profile !== undefined) return profile;
  throw new AppError('USAGE', `--profile is auto, ${PROFILE_NAMES.join(' or ')}, not ${JSON.stringify(name)}.`);
}

/** Written out, because the profiles themselves are loaded after a client is greeted. */
const PROFILE_NAMES: readonly ProfileName[] = ['none', 'codex', 'codex-legacy'];

function readValues(args: readonly string[]): Map<string, string> {
  const values = new Map<string, string>();
  const rest = [...args];
  for (let arg = rest.shift(); arg !== undefined; arg = rest.shift()) {
    const [name = '', inline] = splitOnce(arg);
    if (FLAGS.has(name) && inline === undefined) values.set(name, '');
    else if (WITH_VALUE.has(name)) values.set(name, inline ?? nextValue(name, rest));
    else throw new AppError('USAGE', `switchboard gateway does not know ${JSON.stringify(arg)}.`);
  }
  return values;
}

function splitOnce(arg: string): readonly [string, string | undefined] {
  const at = arg.startsWith('--') ? arg.indexOf('=') : -1;
  return at === -1 ? [arg, undefined] : [arg.slice(0, at), arg.slice(at + 1)];
}

function nextValue(name: string, rest: string[]): string {
  const value = rest.shift();
  if (value === undefined || value.startsWith('--')) throw new AppError('USAGE', `${name} needs a value.`);
  return value;
}
