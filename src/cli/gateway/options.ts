import { AppError } from '../../base/errors.ts';
import { quoteForShell } from '../../base/text/shell-quote.ts';
import type { ProfileName } from '../../schema/profiles/profile.ts';
import { unknownOption } from '../arguments/unknown-option.ts';

export interface GatewayOptions {
  /** The config files to read instead of the default ones; the first wins. Empty for the default files. */
  readonly config: readonly string[];
  readonly only: readonly string[];
  readonly hasPrefix: boolean;
  /** Undefined selects the profile per client. */
  readonly profile: ProfileName | undefined;
  /** Servers with cached tools start at their first call. */
  readonly isLazy: boolean;
  readonly trace: string | undefined;
  /** The command line after `--`. */
  readonly command: readonly string[] | undefined;
  readonly mode: GatewayMode;
}

/** What the gateway does with its servers. */
export type GatewayMode =
  | { readonly kind: 'serve' }
  /** Starts each once and prints its status. */
  | { readonly kind: 'check'; readonly isJson: boolean }
  /** `subject` is a server, or a server and a tool. */
  | { readonly kind: 'explain'; readonly subject: string; readonly isJson: boolean };

/** Parses the options of `switchboard gateway`. Rejects unknown options. */
export function parseGatewayOptions(args: readonly string[], rules: Rules = GATEWAY): GatewayOptions {
  const end = args.indexOf('--');
  const own = end === -1 ? args : args.slice(0, end);
  const { values, config } = parseOptions(own, rules);
  const inapplicable =
    end === -1
      ? undefined
      : ['--config', '--only', '--prefix', '--lazy', '--check', '--explain'].find((name) => values.has(name));
  if (inapplicable !== undefined)
    throw usageError(`${inapplicable} applies to servers from a config, but -- names the only server.`, rules);
  const prefix = values.get('--prefix') ?? 'on';
  if (prefix !== 'on' && prefix !== 'off')
    throw usageError(`--prefix must be on or off, not ${JSON.stringify(prefix)}.`, rules);
  return {
    config,
    only: (values.get('--only') ?? '')
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== ''),
    hasPrefix: prefix === 'on',
    profile: parseProfile(values.get('--profile') ?? 'auto'),
    isLazy: values.has('--lazy'),
    trace: values.get('--trace'),
    command: end === -1 ? undefined : args.slice(end + 1),
    mode: modeOf(values, rules),
  };
}

function modeOf(values: ReadonlyMap<string, string>, { mode }: Rules): GatewayMode {
  const isJson = values.has('--json');
  const subject = values.get('--explain');
  if (subject !== undefined) return { kind: 'explain', subject, isJson };
  return mode === 'check' || values.has('--check') ? { kind: 'check', isJson } : { kind: 'serve' };
}

/** Returns the `--check` command for the servers that these options select. */
export function checkCommand({ config, only }: Pick<GatewayOptions, 'config' | 'only'>): string {
  const files = config.map((file) => ` --config ${quoteForShell(file)}`).join('');
  const chosen = only.length === 0 ? '' : ` --only ${quoteForShell(only.join(','))}`;
  return `switchboard gateway${files}${chosen} --check`;
}

interface Rules {
  /** As the user types it. */
  readonly command: string;
  readonly withValue: readonly string[];
  readonly flags: readonly string[];
  /** Unless the options select another. */
  readonly mode: 'serve' | 'check';
}

const GATEWAY: Rules = {
  command: 'switchboard gateway',
  withValue: ['--config', '--only', '--prefix', '--profile', '--trace', '--explain'],
  flags: ['--lazy', '--check', '--json'],
  mode: 'serve',
};

function usageError(message: string, { command }: Rules): AppError {
  return new AppError('USAGE', `${message} See: ${command} --help`);
}

function parseProfile(name: string): ProfileName | undefined {
  if (name === 'auto') return undefined;
  const profile = PROFILE_NAMES.find((known) => known === name);
  if (profile !== undefined) return profile;
  throw usageError(`--profile must be auto, ${PROFILE_NAMES.join(' or ')}, not ${JSON.stringify(name)}.`, GATEWAY);
}

/** Duplicated here, because the profiles module loads after the handshake. */
const PROFILE_NAMES: readonly ProfileName[] = ['none', 'codex', 'codex-legacy'];

interface Values {
  readonly values: ReadonlyMap<string, string>;
  /** The only repeatable option. */
  readonly config: readonly string[];
}

function parseOptions(args: readonly string[], rules: Rules): Values {
  const { command, withValue, flags } = rules;
  const values = new Map<string, string>();
  const config: string[] = [];
  const rest = [...args];
  for (let arg = rest.shift(); arg !== undefined; arg = rest.shift()) {
    const [name = '', inline] = splitOnce(arg);
    if (flags.includes(name) && inline === undefined) values.set(name, '');
    else if (withValue.includes(name)) {
      if (values.has(name) && name !== '--config') throw usageError(`${name} may be given only once.`, rules);
      const value = inline ?? nextValue(name, rest, rules);
      values.set(name, value);
      if (name === '--config') config.push(value);
    } else throw unknownOption(arg, { command, known: [...withValue, ...flags, '--help'] });
  }
  return { values, config };
}

function splitOnce(arg: string): readonly [string, string | undefined] {
  const at = arg.startsWith('--') ? arg.indexOf('=') : -1;
  return at === -1 ? [arg, undefined] : [arg.slice(0, at), arg.slice(at + 1)];
}

function nextValue(name: string, rest: string[], rules: Rules): string {
  const value = rest.shift();
  if (value === undefined || value.startsWith('--')) throw usageError(`${name} needs a value.`, rules);
  return value;
}
