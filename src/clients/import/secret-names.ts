/** Chooses the variables that hold imported secrets. */
export interface SecretNames {
  /** Returns the variable for a value: the preferred name, with a number if it is taken by another value. */
  claim(value: string, preferred: string): string;
  /** Returns whether a variable is free or already has the value. */
  isUsable(name: string, value: string): boolean;
  /** The values to store. */
  readonly fresh: ReadonlyMap<string, string>;
}

export function createSecretNames({
  env,
  stored,
  reserved,
}: {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stored: Readonly<Record<string, string>>;
  /** Variables that entries expect from the environment. Storing a value for one would give it to those servers. */
  readonly reserved: ReadonlySet<string>;
}): SecretNames {
  const known = new Map(Object.entries(stored));
  const fresh = new Map<string, string>();
  const isUsable = (name: string, value: string): boolean => {
    const inEnvironment = env[name] ?? '';
    // The environment takes precedence over the store, so another value there would replace this one.
    if (inEnvironment !== '' && inEnvironment !== value) return false;
    if (known.has(name)) return known.get(name) === value;
    return !reserved.has(name) || inEnvironment === value;
  };
  return {
    fresh,
    isUsable,
    claim(value, preferred) {
      const numbered = Array.from({ length: MAX_NAMES }, (_, index) => `${preferred}_${index + 2}`);
      const name = [preferred, ...numbered].find((candidate) => isUsable(candidate, value)) ?? `${preferred}_1`;
      if (!known.has(name)) fresh.set(name, value);
      known.set(name, value);
      return name;
    },
  };
}

/** More different values of one name than any home has. */
const MAX_NAMES = 1000;

/**
 * Returns the name of the variable for a secret of one server: `IMPORTED_GITHUB_API_KEY`. Does not repeat the server's
 * name. The prefix keeps it apart from variables that programs really use: the environment of a client takes precedence
 * over the store, and a `GITHUB_TOKEN` there would replace the imported value.
 */
export function serverVariable(id: string, name: string): string {
  const [server, own] = [toUpperSnake(id), toUpperSnake(name)];
  return `${PREFIX}${own === server || own.startsWith(`${server}_`) ? own : `${server}_${own}`}`;
}

const PREFIX = 'IMPORTED_';

/** Returns whether only the secret store has a variable, because an import chose its name. */
export function isImportedVariable(name: string): boolean {
  return name.startsWith(PREFIX);
}

function toUpperSnake(text: string): string {
  return text
    .replace(/([a-z\d])([A-Z])/g, '$1_$2')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '')
    .toUpperCase();
}
