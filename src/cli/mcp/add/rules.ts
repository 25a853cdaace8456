import type { ArgumentRules } from '../../arguments/parse-arguments.ts';

/** Suffixes of `--oauth-…`. */
export const OAUTH_NAMES = [
  'authorization-url',
  'token-url',
  'registration-url',
  'client-id',
  'client-secret',
  'client-secret-env',
  'scope',
];
export const HTTP_ONLY = [
  ...['--url', '--header', '--header-env', '--bearer-token', '--bearer-token-env-var'],
  ...OAUTH_NAMES.map((name) => `--oauth-${name}`),
];
export const STDIO_ONLY = ['--command', '--arg', '--cwd', '--env'];
const REPEATABLE_OPTIONS = ['--header', '--header-env', '--arg', '--env', '--allow-tool', '--deny-tool'];

export const ADD_RULES: ArgumentRules = {
  command: 'switchboard mcp add',
  positionals: ['<id>', '<url>'],
  requiredPositionals: 1,
  options: [
    ...[...HTTP_ONLY, ...STDIO_ONLY].filter((name) => !REPEATABLE_OPTIONS.includes(name)),
    ...['--scope', '--transport', '--enabled', '--request-timeout-ms'],
  ],
  repeatableOptions: REPEATABLE_OPTIONS,
  verbatimOptions: ['--arg'],
  optionalValues: ['--bearer-token', '--oauth-client-secret'],
  flags: ['--replace', '--dry-run'],
  takesCommand: true,
};
