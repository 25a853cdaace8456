import { programName } from '../../base/program-name.ts';
import { dataFile, type Environment } from '../files/folders.ts';
import { openPrivateJson, type PrivateJson } from '../files/private-json.ts';
import { pick, readStringMap } from '../json/decode.ts';

/**
 * Values of variables that the user stored with `switchboard secret set`, for clients that start servers without them.
 * The environment takes precedence.
 */
export interface SecretStore {
  readonly file: string;
  /** Returns all values by name. Throws if the file is damaged or has a newer version. */
  readAll(): Readonly<Record<string, string>>;
  /** Stores a value. Returns whether it replaced one. */
  set(name: string, value: string): boolean;
  /** Returns whether there was one. */
  remove(name: string): boolean;
}

export function openSecretStore(environment: Environment): SecretStore {
  const file = dataFile(environment, 'secrets.json');
  const json = openPrivateJson({
    file,
    version: 1,
    maxBytes: 1024 * 1024,
    subject: 'Secrets',
    remedy: `Move it away, then store your secrets again with: ${programName()} secret set <name>.`,
  });
  const readAll = () => readSecrets(json);
  return {
    file,
    readAll,
    set: (name, value) =>
      json.withLock(() => {
        const { [name]: earlier, ...others } = readAll();
        json.write({ secrets: { ...others, [name]: value } });
        return earlier !== undefined;
      }),
    remove: (name) =>
      Object.hasOwn(readAll(), name) &&
      json.withLock(() => {
        const { [name]: removed, ...others } = readAll();
        json.write({ secrets: others });
        return removed !== undefined;
      }),
  };
}

/** Returns why this cannot be the name of a variable; undefined for a valid one. */
export function checkVariableName(name: string): string | undefined {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) ? undefined : 'use letters, digits and _, and begin with a letter or _';
}

function readSecrets(json: PrivateJson): Readonly<Record<string, string>> {
  const root = json.read();
  if (root === undefined) return {};
  const secrets = pick(root, 'secrets');
  if (secrets === undefined) throw json.damaged('"secrets" is missing');
  return readStringMap(secrets, checkVariableName);
}
