import { isSecretName } from '../../base/redaction/redact.ts';
import { escapeInvisible, quoteIfNeeded } from '../../base/text/visible-text.ts';
import { listVariableUses, type VariableUse } from '../../config/entry/variable-uses.ts';
import { resolvePath } from '../../config/files/folders.ts';
import { projectFolder } from '../../config/files/sources.ts';
import { formatLocation } from '../../config/problem.ts';
import { maskSecret } from '../../config/secrets/masked-value.ts';
import type { HttpSettings, OAuthSettings, StdioSettings } from '../../config/server-entry.ts';
import { ownerWarnings } from '../../config/trust/owner-warnings.ts';
import { describeVariableRisk } from '../../config/trust/risky-variables.ts';
import type { ReviewedEntry } from '../../config/trust/trust-review.ts';

/** Formats everything that determines what an entry starts, sends and receives. Truncates nothing. */
export function reviewText(entry: ReviewedEntry, home: string): string {
  const { id, origin, realPath, transport, isSwitchedOff } = entry;
  const head = `${quoteIfNeeded(id)}, ${formatLocation(origin.file, origin.line)}${isSwitchedOff ? ', disabled' : ''}`;
  const facts: readonly Fact[] = [
    ...(realPath === origin.file ? [] : [['link to', escapeInvisible(realPath)] as const]),
    ...(transport === undefined ? [] : transportFacts(transport, { entry, home })),
    ...warningsOf(entry).map((warning) => ['WARNING', warning] as const),
  ];
  return [head, ...facts.map(([name, value]) => `  ${name.padEnd(12)}${value}`)].join('\n');
}

/** Builds the same review as a JSON document. */
export function reviewDocument(entry: ReviewedEntry, home: string): object {
  const { id, origin, realPath, transport, isSwitchedOff, wasTrusted } = entry;
  const common = { id, file: origin.file, line: origin.line, realPath };
  const end = { isSwitchedOff, wasTrusted, warnings: warningsOf(entry) };
  if (transport === undefined) return { ...common, ...end };
  const envVars = [...new Set(usesOf(entry, transport).map(({ name }) => name))];
  if (transport.kind === 'http') {
    const { url, headers, oauth } = transport;
    const signIn = oauth === undefined ? {} : { oauth: Object.fromEntries(oauthFacts(oauth)) };
    const sharing = entry.sharesSignIn ? { shareSignIn: true } : {};
    return { ...common, url, headers: Object.keys(headers), ...signIn, ...sharing, envVars, ...end };
  }
  const { command, args, env, inheritEnv } = transport;
  const shown = Object.fromEntries(Object.entries(env).map(([name, value]) => [name, maskedValue(name, value)]));
  const folder = folderOf(transport, { entry, home });
  return { ...common, command, args, folder, env: shown, envVars, inheritEnv, ...end };
}

type Fact = readonly [name: string, value: string];

const SHARED_SIGN_IN: Fact = ['sign-in', 'yours, also for others who have a token of your gateway, by shareSignIn'];

interface ReviewContext {
  readonly entry: ReviewedEntry;
  readonly home: string;
}

function transportFacts(transport: StdioSettings | HttpSettings, context: ReviewContext): readonly Fact[] {
  const passedOn = usesOf(context.entry, transport).map(
    ({ name, key }): Fact => ['passed on', `${quoteIfNeeded(name)} from your environment, by ${escapeInvisible(key)}`],
  );
  if (transport.kind === 'http')
    return [
      ['url', escapeInvisible(transport.url)],
      ...Object.entries(transport.headers).map(
        ([name, value]): Fact => ['header', `${escapeInvisible(name)}: ${maskSecret(value)}`],
      ),
      ...oauthFacts(transport.oauth).map(([name, value]): Fact => ['oauth', `${name} ${quoteIfNeeded(value)}`]),
      ...(context.entry.sharesSignIn ? [SHARED_SIGN_IN] : []),
      ...passedOn,
    ];
  const { command, args, env, inheritEnv } = transport;
  return [
    ['command', [command, ...args].map(quoteIfNeeded).join(' ')],
    ['folder', escapeInvisible(folderOf(transport, context))],
    ...Object.entries(env).map(([name, value]): Fact => ['variable', variableText(name, value)]),
    ...passedOn,
    ...(inheritEnv ? [['passed on', 'EVERYTHING from your environment, by inherit_env'] as const] : []),
  ];
}

function usesOf({ expandsVariables }: ReviewedEntry, transport: StdioSettings | HttpSettings): readonly VariableUse[] {
  return listVariableUses({ transport, expandsVariables });
}

/** Returns the folder for relative commands and arguments. Leaves variables in it unexpanded. */
function folderOf({ cwd = '.' }: StdioSettings, { entry: { origin }, home }: ReviewContext): string {
  if (cwd.includes('${')) return cwd;
  return resolvePath(cwd, { cwd: projectFolder(origin), home, platform: process.platform });
}

/** Shows the value of a variable, because it matters as much as the command; masks secrets. */
function variableText(name: string, value: string): string {
  return `${escapeInvisible(name)}=${isSecretName(name) ? maskSecret(value) : quoteIfNeeded(value)}${describeVariableRisk(name)}`;
}

function maskedValue(name: string, value: string): string {
  return isSecretName(name) ? maskSecret(value) : value;
}

function oauthFacts(oauth: OAuthSettings | undefined): readonly Fact[] {
  if (oauth === undefined) return [];
  const { authorizationUrl, tokenUrl, registrationUrl, clientId, clientSecret, clientSecretEnv, scope } = oauth;
  const facts: readonly (readonly [string, string | undefined])[] = [
    ['authorization_url', authorizationUrl],
    ['token_url', tokenUrl],
    ['registration_url', registrationUrl],
    ['client_id', clientId],
    ['client_secret', clientSecret === undefined ? undefined : maskSecret(clientSecret)],
    ['client_secret_env', clientSecretEnv],
    ['scope', scope],
  ];
  return facts.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
}

/** Warns about other users who could change the reviewed files. */
function warningsOf({ origin, realPath }: ReviewedEntry): readonly string[] {
  const places = realPath === origin.file ? [realPath] : [realPath, origin.file];
  return [...new Set(places.flatMap(ownerWarnings))];
}
