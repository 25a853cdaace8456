import { programName } from '../../base/program-name.ts';
import { quoteForShell } from '../../base/text/shell-quote.ts';
import type { ProfileName } from '../../schema/profiles/profile.ts';
import type { HttpOptions } from '../../serve/access/address/plan-http.ts';
import { type OptionRules, optionError, parseOptions } from '../arguments/parse-options.ts';
import { HTTP_OPTION, MORE_HTTP_OPTIONS, readHttpOptions } from '../http/http-options.ts';

export interface GatewayOptions {
  /** The config files to read instead of the default ones; the first wins. Empty for the default files. */
  readonly config: readonly string[];
  readonly only: readonly string[];
  /** The client whose servers are shown, as recorded by `import` and `share`. Undefined shows all servers. */
  readonly client: string | undefined;
  /** The view of the config that limits what the client sees. */
  readonly view: string | undefined;
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
  /** One client on stdin and stdout. */
  | { readonly kind: 'serve' }
  | { readonly kind: 'http'; readonly options: HttpOptions }
  /** Starts each once and prints its status. */
  | { readonly kind: 'check'; readonly isJson: boolean }
  /** `subject` is a server, or a server and a tool. */
  | { readonly kind: 'explain'; readonly subject: string; readonly isJson: boolean };

/** Parses the options of `switchboard gateway`. Rejects unknown options. */
export function parseGatewayOptions(args: readonly string[], rules: Rules = GATEWAY): GatewayOptions {
  const end = args.indexOf('--');
  const own = end === -1 ? args : args.slice(0, end);
  const given = parseOptions(own, rules);
  const onlyValue = (name: string) => given.get(name)?.[0];
  const inapplicable =
    end === -1
      ? undefined
      : ['--http', '--config', '--only', '--client', '--view', '--prefix', '--lazy', '--check', '--explain'].find(
          (name) => given.has(name),
        );
  if (inapplicable !== undefined)
    throw optionError(`${inapplicable} applies to servers from a config, but -- names the only server.`, rules);
  const http = readHttpOptions(given, rules);
  if (http !== undefined) checkServesAll(given, rules);
  const prefix = onlyValue('--prefix') ?? 'on';
  if (prefix !== 'on' && prefix !== 'off')
    throw optionError(`--prefix must be on or off, not ${JSON.stringify(prefix)}.`, rules);
  return {
    config: given.get('--config') ?? [],
    only: (onlyValue('--only') ?? '')
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== ''),
    client: onlyValue('--client'),
    view: onlyValue('--view'),
    hasPrefix: prefix === 'on',
    profile: parseProfile(onlyValue('--profile') ?? 'auto'),
    isLazy: given.has('--lazy'),
    trace: onlyValue('--trace'),
    command: end === -1 ? undefined : args.slice(end + 1),
    mode: modeOf(given, http, rules),
  };
}

function modeOf(given: Given, http: HttpOptions | undefined, { mode }: Rules): GatewayMode {
  const isJson = given.has('--json');
  const subject = given.get('--explain')?.[0];
  if (subject !== undefined) return { kind: 'explain', subject, isJson };
  if (mode === 'check' || given.has('--check')) return { kind: 'check', isJson };
  return http === undefined ? { kind: 'serve' } : { kind: 'http', options: http };
}

type Given = ReturnType<typeof parseOptions>;

/** A gateway that serves several clients shows each of them its own view. */
function checkServesAll(given: Given, rules: Rules): void {
  const perClient = ['--view', '--client'].find((name) => given.has(name));
  if (perClient !== undefined)
    throw optionError(
      `${perClient} is for one client. With --http, the URL or the token of a client chooses its view.`,
      rules,
    );
}

/** Returns the `--check` command for the servers that these options select. */
export function checkCommand({ config, only, client, view }: Selection): string {
  const files = config.map((file) => ` --config ${quoteForShell(file)}`).join('');
  const chosen = only.length === 0 ? '' : ` --only ${quoteForShell(only.join(','))}`;
  const seenBy = client === undefined ? '' : ` --client ${quoteForShell(client)}`;
  const seenIn = view === undefined ? '' : ` --view ${quoteForShell(view)}`;
  return `${programName()} gateway${files}${chosen}${seenBy}${seenIn} --check`;
}

type Selection = Pick<GatewayOptions, 'config' | 'only' | 'client' | 'view'>;

interface Rules extends OptionRules {
  /** Unless the options select another. */
  readonly mode: 'serve' | 'check';
}

const GATEWAY: Rules = {
  command: 'switchboard gateway',
  options: ['--only', '--client', '--view', '--prefix', '--profile', '--trace', '--explain', ...MORE_HTTP_OPTIONS],
  optionsWithDefault: [HTTP_OPTION],
  repeatableOptions: ['--config'],
  flags: ['--lazy', '--check', '--json'],
  mode: 'serve',
};

function parseProfile(name: string): ProfileName | undefined {
  if (name === 'auto') return undefined;
  const profile = PROFILE_NAMES.find((known) => known === name);
  if (profile !== undefined) return profile;
  throw optionError(`--profile must be auto, ${PROFILE_NAMES.join(' or ')}, not ${JSON.stringify(name)}.`, GATEWAY);
}

/** Duplicated here, because the profiles module loads after the handshake. */
const PROFILE_NAMES: readonly ProfileName[] = ['none', 'codex', 'codex-legacy'];
