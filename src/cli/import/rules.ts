import type { ArgumentRules } from '../arguments/parse-arguments.ts';

export const IMPORT_RULES: ArgumentRules = {
  command: 'switchboard import',
  positionals: ['[names…]'],
  requiredPositionals: 0,
  options: ['--from', '--scope'],
  flags: ['--all', '--new', '--dry-run', '--replace', '--yes'],
};
