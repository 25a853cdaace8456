import type { CommandContext } from '../command-context.ts';

/** One operation on the configured servers. */
export interface Verb {
  /** The verb only reads the config and takes `--config <file>` like the gateway. */
  readonly isReadOnly?: boolean;
  /** Loads the verb lazily: `list` must not pay for the sign-in code. */
  run(args: readonly string[], context: CommandContext): Promise<void>;
}

export const verbs = {
  add: { run: async (args, context) => (await import('./add/command.ts')).mcpAdd(args, context) },
  list: {
    isReadOnly: true,
    run: async (args, context) => (await import('./list/command.ts')).mcpList(args, context),
  },
  get: {
    isReadOnly: true,
    run: async (args, context) => (await import('./get.ts')).mcpGet(args, context),
  },
  set: { run: async (args, context) => (await import('./set/command.ts')).mcpSet(args, context) },
  unset: { run: async (args, context) => (await import('./set/command.ts')).mcpUnset(args, context) },
  rename: { run: async (args, context) => (await import('./rename/command.ts')).mcpRename(args, context) },
  remove: { run: async (args, context) => (await import('./remove.ts')).mcpRemove(args, context) },
  enable: { run: async (args, context) => (await import('./enable/command.ts')).mcpEnable(args, context) },
  disable: { run: async (args, context) => (await import('./enable/command.ts')).mcpDisable(args, context) },
  test: {
    isReadOnly: true,
    run: async (args, context) => (await import('./test/command.ts')).mcpTest(args, context),
  },
  login: {
    isReadOnly: true,
    run: async (args, context) => (await import('./login/sign-ins.ts')).mcpLogin(args, context),
  },
  logout: {
    isReadOnly: true,
    run: async (args, context) => (await import('./login/sign-ins.ts')).mcpLogout(args, context),
  },
  status: {
    isReadOnly: true,
    run: async (args, context) => (await import('./status/command.ts')).mcpStatus(args, context),
  },
  tools: {
    isReadOnly: true,
    run: async (args, context) => (await import('./tools/command.ts')).mcpTools(args, context),
  },
  tool: {
    isReadOnly: true,
    run: async (args, context) => (await import('./tools/tool-command.ts')).mcpTool(args, context),
  },
  call: {
    isReadOnly: true,
    run: async (args, context) => (await import('./call/command.ts')).mcpCall(args, context),
  },
  resources: {
    isReadOnly: true,
    run: async (args, context) => (await import('./resources/command.ts')).mcpResources(args, context),
  },
  prompts: {
    isReadOnly: true,
    run: async (args, context) => (await import('./prompts/command.ts')).mcpPrompts(args, context),
  },
} as const satisfies Readonly<Record<string, Verb>>;

/** The texts of `--help` exist for each of them. */
export type VerbName = keyof typeof verbs;

export function isVerb(name: string): name is VerbName {
  return Object.hasOwn(verbs, name);
}
