import type { ArgumentRules } from '../arguments/parse-arguments.ts';

export const DOCTOR_RULES: ArgumentRules = {
  command: 'switchboard doctor',
  positionals: ['[server…]'],
  requiredPositionals: 0,
  options: ['--timeout'],
  flags: ['--fix'],
};
