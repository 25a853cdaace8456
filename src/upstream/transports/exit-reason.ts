/** Parameters with which a program was started. */
interface ProcessStart {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The gateway's own environment, from which `env` was built. */
  readonly ownEnv: Readonly<Record<string, string | undefined>>;
}

const MAX_NAMES = 3;

/**
 * Returns a hint about a likely config mistake, derived from the stderr of a program that exited; undefined if there is
 * none.
 */
export function startHint({ args, env, ownEnv }: ProcessStart, stderr: readonly string[]): string | undefined {
  const output = stderr.join('\n');
  const withheld = [...new Set(output.match(VARIABLE) ?? [])].filter((name) => ownEnv[name] && env[name] === undefined);
  if (withheld.length > 0) {
    const names = withheld.slice(0, MAX_NAMES).map((name) => `\`${name}\``);
    const [are, them] = names.length === 1 ? ['is', 'it'] : ['are', 'them'];
    return `${names.join(', ')} ${are} set here but not passed on: add ${them} to \`env_vars\``;
  }
  const tilde = args.find((arg) => arg.startsWith('~/') && output.includes(arg));
  return tilde === undefined ? undefined : `\`~\` is not expanded in args: write the full path`;
}

/** Environment variable names in the usual style. */
const VARIABLE = /(?<![A-Za-z0-9_$])[A-Z][A-Z0-9_]{2,}(?![A-Za-z0-9_])/g;
