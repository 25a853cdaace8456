import { AppError } from '../../base/errors.ts';
import { programName } from '../../base/program-name.ts';
import { nearestNames } from '../../base/text/nearest-names.ts';
import { quoteForShell } from '../../base/text/shell-quote.ts';
import { escapeInvisible, quoteIfNeeded } from '../../base/text/visible-text.ts';
import { checkOwnName } from '../../config/entry/entry-name.ts';
import { checkTokenName, ROLES } from '../../serve/access/access-token.ts';
import { LOCAL_TOKEN_NAME, localTokenFile, removeLocalTokenFile } from '../../serve/access/local-token.ts';
import { openTokenStore } from '../../serve/access/token-store.ts';
import { type ArgumentRules, type Arguments, parseArguments, usageError } from '../arguments/parse-arguments.ts';
import { parseChoice } from '../arguments/values.ts';
import { type CommandContext, environmentOf } from '../command-context.ts';
import { toJson } from '../output.ts';
import { unknownSubcommand } from '../unknown-command.ts';
import { parseDuration } from './duration.ts';
import { describeToken, listText, tokenDocument } from './token-text.ts';

/** Runs `switchboard token create|list|revoke`. Only `create` shows a token. */
export async function token([verb, ...args]: readonly string[], context: CommandContext): Promise<void> {
  switch (verb) {
    case 'create':
      return createToken(parseArguments(args, VERBS.create), context);
    case 'list':
    case undefined:
      return listTokens(parseArguments(args, VERBS.list), context);
    case 'revoke':
      return revokeToken(parseArguments(args, VERBS.revoke), context);
    default:
      throw unknownSubcommand(`${programName()} token`, verb, Object.keys(VERBS));
  }
}

const VERBS = {
  create: {
    command: 'switchboard token create',
    positionals: ['<name>'],
    requiredPositionals: 1,
    options: ['--view', '--role', '--expires'],
    flags: ['--folders'],
  },
  list: { command: 'switchboard token list', positionals: [], requiredPositionals: 0 },
  revoke: { command: 'switchboard token revoke', positionals: ['<name|id>'], requiredPositionals: 1 },
} as const satisfies Readonly<Record<string, ArgumentRules>>;

function createToken(given: Arguments, context: CommandContext): void {
  const rules = VERBS.create;
  const now = Date.now();
  const [name = ''] = given.positionals;
  const environment = environmentOf(context);
  const fault = checkTokenName(name);
  if (fault !== undefined) throw usageError(rules, `${nameText(name)} cannot be the name of a token: ${fault}.`);
  if (name === LOCAL_TOKEN_NAME)
    throw usageError(
      rules,
      `The name ${name} belongs to the token in ${escapeInvisible(localTokenFile(environment))}, which an HTTP server creates when it starts. Choose another name.`,
    );
  const role = parseChoice(given, '--role', { words: ROLES, rules }) ?? 'use';
  const created = openTokenStore(environment).create({
    name,
    role,
    view: parseView(given),
    expiresAt: parseExpiry(given, now),
    mayNameFolders: given.has('--folders'),
  });
  const { token: text, ...stored } = created;
  if (given.isJson) {
    context.output.answer(toJson({ ...tokenDocument(stored, now), token: text }));
    return;
  }
  // Alone on stdout, so that `$(switchboard token create ci)` is the token.
  context.output.answer(text);
  context.output.report(`Created the token ${name}: ${describeToken(stored, now)}. It is not shown again.`);
}

function parseView(given: Arguments): string | undefined {
  const view = given.value('--view');
  const fault = view === undefined ? undefined : checkOwnName(view);
  if (view === undefined || fault === undefined) return view;
  throw usageError(VERBS.create, `--view ${quoteIfNeeded(view)} cannot be the name of a view: ${fault}.`);
}

function parseExpiry(given: Arguments, now: number): number | undefined {
  const written = given.value('--expires');
  if (written === undefined) return undefined;
  const ms = parseDuration(written);
  if (ms !== undefined) return now + ms;
  throw usageError(
    VERBS.create,
    `--expires takes a time of at most ten years, such as 12h, 30d or 8w, not ${quoteIfNeeded(written)}.`,
  );
}

function listTokens({ isJson }: Arguments, context: CommandContext): void {
  const environment = environmentOf(context);
  const tokens = openTokenStore(environment)
    .readAll()
    .toSorted((one, other) => one.createdAt - other.createdAt);
  const now = Date.now();
  const localFile = localTokenFile(environment);
  if (isJson) {
    const documents = tokens.map((one) => {
      return { ...tokenDocument(one, now), ...(one.name === LOCAL_TOKEN_NAME ? { file: localFile } : {}) };
    });
    context.output.answer(toJson({ tokens: documents }));
    return;
  }
  if (tokens.length === 0) {
    context.output.answer(`There are no tokens.\nCreate one: ${programName()} token create <name>`);
    return;
  }
  context.output.answer(listText(tokens, now));
  if (tokens.some(({ name }) => name === LOCAL_TOKEN_NAME))
    context.output.report(
      `${LOCAL_TOKEN_NAME} is for your own programs. They read it from ${escapeInvisible(localFile)}.`,
    );
}

function revokeToken({ positionals: [given = ''], isJson }: Arguments, context: CommandContext): void {
  const environment = environmentOf(context);
  const store = openTokenStore(environment);
  const revoked = store.revoke(given);
  if (revoked === undefined)
    throw unknownToken(
      given,
      store.readAll().map(({ name }) => name),
    );
  const { id, name } = revoked;
  const isLocal = name === LOCAL_TOKEN_NAME;
  if (isLocal) removeLocalTokenFile(environment);
  if (isJson) {
    context.output.answer(toJson({ id, name, revoked: true }));
    return;
  }
  const next = isLocal ? ' The next HTTP server that starts creates a new one.' : '';
  context.output.answer(`Revoked ${name}. Running servers end its sessions within a second.${next}`);
}

function unknownToken(given: string, names: readonly string[]): AppError {
  const [near] = nearestNames(given, names);
  const hint =
    near === undefined
      ? `See: ${programName()} token list`
      : `Did you mean ${programName()} token revoke ${quoteForShell(near)}?`;
  return new AppError('USAGE', `There is no token ${nameText(given)}. ${hint}`);
}

/** Quotes a name, but never repeats a token that somebody has pasted instead. */
function nameText(given: string): string {
  return given.length > MAX_NAME_LENGTH
    ? `"${[...given].slice(0, SHOWN_LENGTH).map(escapeInvisible).join('')}…"`
    : quoteIfNeeded(given);
}

const MAX_NAME_LENGTH = 64;
/** Shows the id of a token, but nothing of its secret. */
const SHOWN_LENGTH = 16;
