/** The arguments of `env` with the text of `-S` split into words, as `env` does itself. */
export interface SplitArguments {
  readonly args: readonly string[];
  /** Whether the text has no quotes, escapes, variables or comments, so that the words are exact. */
  readonly isPlain: boolean;
}

/** @example splitEnvString(['-S', 'npx -y', 'a']).args // ['npx', '-y', 'a'] */
export function splitEnvString(args: readonly string[]): SplitArguments {
  // Arguments after the command do not belong to `env`.
  const end = args.findIndex(
    (arg, at) => !arg.startsWith('-') && !arg.includes('=') && !ENV_TAKES_VALUE.test(args[at - 1] ?? ''),
  );
  const at = args.slice(0, end === -1 ? args.length : end).findIndex((arg) => SPLIT.test(arg));
  const [, others, attached, long] = SPLIT.exec(args[at] ?? '') ?? [];
  if (at === -1) return { args, isPlain: true };
  const inside = attached || long;
  const text = inside ?? args[at + 1] ?? '';
  const words = text
    .replace(/["'\\]/g, '')
    .trim()
    .split(/\s+/);
  return {
    args: [
      ...args.slice(0, at),
      ...(others ? [`-${others}`] : []),
      ...words,
      ...args.slice(inside === undefined ? at + 2 : at + 1),
    ],
    isPlain: !/["'\\$#]/.test(text),
  };
}

/** Options of `env` whose value is the next argument. */
export const ENV_TAKES_VALUE = /^(?:-u|--unset|-C|--chdir|-a|--argv0)$/;

const SPLIT = /^(?:-([iv0]*)S(.*)|--sp[a-z-]*(?:=(.*))?)$/s;
