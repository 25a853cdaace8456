import type { ArgumentRules } from '../arguments/parse-arguments.ts';

export const SETUP_RULES: ArgumentRules = {
  command: 'switchboard setup',
  positionals: ['[client…]'],
  requiredPositionals: 0,
  flags: ['--dry-run', '--undo', '--yes'],
};
