import { AppError } from '../../base/errors.ts';
import { programName } from '../../base/program-name.ts';
import { dataFile, type Environment } from '../../config/files/folders.ts';
import { openPrivateJson, type PrivateJson } from '../../config/files/private-json.ts';
import { pick, readList } from '../../config/json/decode.ts';
import { type AccessToken, decodeToken, encodeToken } from './access-token.ts';
import { generateToken, type NewToken } from './token-text.ts';

/** The tokens of HTTP clients, in a file that all processes of this user share. It holds hashes, never a token. */
export interface TokenStore {
  readonly file: string;
  /** Throws if the file is damaged or has a newer version. */
  readAll(): readonly AccessToken[];
  /** Adds a token. Throws `USAGE` if the name is taken. The returned text exists nowhere else. */
  create(settings: TokenSettings): CreatedToken;
  /** Removes the token with this id or name. Returns undefined if there is none. */
  revoke(idOrName: string): AccessToken | undefined;
  /**
   * Reads, changes and writes the tokens while no other process does. Returns the result of `change`. Does not block
   * the event loop.
   */
  update<T>(change: (tokens: readonly AccessToken[]) => Update<T>): Promise<T>;
}

export type TokenSettings = Pick<AccessToken, 'name' | 'role' | 'view' | 'expiresAt' | 'mayNameFolders'>;

export interface CreatedToken extends AccessToken, Pick<NewToken, 'token'> {}

interface Update<T> {
  /** Undefined writes nothing. */
  readonly tokens: readonly AccessToken[] | undefined;
  readonly result: T;
}

/** Every request is compared with the tokens in memory. */
const MAX_TOKENS = 1000;

export function openTokenStore(environment: Environment): TokenStore {
  const file = dataFile(environment, 'tokens.json');
  const json = openPrivateJson({
    file,
    version: 1,
    maxBytes: 1024 * 1024,
    subject: 'Tokens',
    remedy: `Move it away, then create your tokens again with: ${programName()} token create <name>.`,
  });
  const readAll = () => readTokens(json);
  const run = <T>(change: (tokens: readonly AccessToken[]) => Update<T>): T => {
    const { tokens, result } = change(readAll());
    if (tokens !== undefined) json.write({ tokens: tokens.map(encodeToken) });
    return result;
  };
  return {
    file,
    readAll,
    create: (settings) =>
      json.withLock(() =>
        run((tokens) => {
          checkRoom(settings.name, tokens);
          const created = newToken(settings);
          return { tokens: [...tokens, withoutText(created)], result: created };
        }),
      ),
    revoke(idOrName) {
      // Does not create the folder if there is nothing to revoke.
      if (findToken(readAll(), idOrName) === undefined) return undefined;
      return json.withLock(() =>
        run((tokens) => {
          const found = findToken(tokens, idOrName);
          return { tokens: found && tokens.filter((token) => token !== found), result: found };
        }),
      );
    },
    update: (change) => json.withLockAsync(() => run(change)),
  };
}

/** Returns the token with this id, or else with this name. */
function findToken(tokens: readonly AccessToken[], idOrName: string): AccessToken | undefined {
  return tokens.find(({ id }) => id === idOrName) ?? tokens.find(({ name }) => name === idOrName);
}

export function newToken(settings: TokenSettings): CreatedToken {
  const { name, role, view, expiresAt, mayNameFolders } = settings;
  return { ...generateToken(), name, role, view, expiresAt, mayNameFolders, createdAt: Date.now() };
}

export function withoutText({ token: _, ...stored }: CreatedToken): AccessToken {
  return stored;
}

function checkRoom(name: string, tokens: readonly AccessToken[]): void {
  if (tokens.some((token) => token.name === name))
    throw new AppError(
      'USAGE',
      `There is already a token ${name}. Choose another name, or replace it after: ${programName()} token revoke ${name}`,
    );
  if (tokens.length < MAX_TOKENS) return;
  throw new AppError(
    'USAGE',
    `There are already ${MAX_TOKENS} tokens, which is the limit. Revoke one: ${programName()} token revoke <name>`,
  );
}

function readTokens(json: PrivateJson): readonly AccessToken[] {
  const root = json.read();
  if (root === undefined) return [];
  const list = pick(root, 'tokens');
  if (list === undefined) throw json.damaged('"tokens" is missing');
  const tokens = readList(list).map(decodeToken);
  if (new Set(tokens.map(({ id }) => id)).size < tokens.length) throw json.damaged('two tokens have the same id');
  return tokens;
}
