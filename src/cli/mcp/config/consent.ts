import { isSecretName } from '../../../base/redaction/redact.ts';
import { escapeInvisible, quoteIfNeeded } from '../../../base/text/visible-text.ts';
import { listVariables } from '../../../config/entry/variable-uses.ts';
import { formatValue, maskSecret } from '../../../config/secrets/masked-value.ts';
import type { HttpSettings, ServerEntry } from '../../../config/server-entry.ts';
import { confirm } from '../../terminal/confirm.ts';

/** The operation that a command wants to perform on a server. */
export type Action = 'test' | 'call' | 'ask';

const VERBS: Readonly<Record<Action, string>> = { test: 'test', call: 'call', ask: 'query' };
const PAST_TENSE: Readonly<Record<Action, string>> = { test: 'tested', call: 'called', ask: 'queried' };

/** Shows everything that the operation would do, and asks for consent on the terminal. Ctrl-C throws. */
export async function confirmUse(action: Action, entry: ServerEntry, where: string): Promise<boolean> {
  const name = `${quoteIfNeeded(entry.id)} (${where})`;
  const question = [
    `${name} is not trusted. To ${VERBS[action]} it, Switchboard will:`,
    ...consentLines(entry),
    'Allow this once? [y/N] ',
  ];
  return confirm(question.join('\n'), `${name} was not ${PAST_TENSE[action]}.`);
}

/**
 * Lists what the operation runs and sends. Shows only the name of a possible secret, but any other value in full,
 * because it may matter: `NODE_OPTIONS`, `PATH`.
 */
export function consentLines(entry: ServerEntry): readonly string[] {
  const { transport } = entry;
  const lines = (name: string, words: readonly string[]) =>
    words.length === 0 ? [] : [`  ${name} ${words.join(', ')}`];
  const passedOn = listVariables(entry).map((name) => `$${escapeInvisible(name)}`);
  if (transport.kind === 'http')
    return [
      ...lines('send requests to', [escapeInvisible(transport.url)]),
      ...lines(
        'with headers',
        [...Object.keys(transport.headers), ...Object.keys(transport.headerEnv)].map(escapeInvisible),
      ),
      ...lines('signing in through', signInAddresses(transport).map(escapeInvisible)),
      ...lines('passing', [...new Set(passedOn)]),
    ];
  const { command, args, cwd, env, inheritEnv } = transport;
  return [
    ...lines('run', [[command, ...args].map(quoteIfNeeded).join(' ')]),
    ...lines('in', cwd === undefined ? [] : [quoteIfNeeded(cwd)]),
    ...lines(
      'with',
      Object.entries(env).map(
        ([name, value]) => `${escapeInvisible(name)}=${isSecretName(name) ? maskSecret(value) : formatValue(value)}`,
      ),
    ),
    ...lines('passing', inheritEnv ? ['all your environment variables'] : [...new Set(passedOn)]),
  ];
}

/** Returns the OAuth endpoints: they receive the sign-in and its tokens. */
function signInAddresses({ oauth }: HttpSettings): readonly string[] {
  const { authorizationUrl, tokenUrl, registrationUrl } = oauth ?? {};
  return [authorizationUrl, tokenUrl, registrationUrl].filter((url) => url !== undefined);
}
