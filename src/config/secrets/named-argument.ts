import { isSecretName } from '../../base/redaction/redact.ts';

/** One of `args` that has a name and a value. */
export interface NamedArgument {
  /** The text before the value: `TOKEN=`, `X-Api-Key: `; empty if the name is the preceding option. */
  readonly head: string;
  readonly name: string;
  readonly value: string;
  /** Whether it is an HTTP header. Header values are never shown, whatever their names. */
  readonly isHeader: boolean;
}

/** Splits an argument into its name and value; undefined if it has no name. */
export function readNamedArgument(arg: string, before: unknown): NamedArgument | undefined {
  const option = typeof before === 'string' && before.startsWith('-') && !arg.startsWith('-') ? before : '';
  if (isSecretName(option)) return { head: '', name: option, value: arg, isHeader: false };
  const [, prefix = '', name, separator = '', value = ''] = NAMED.exec(arg) ?? [];
  if (name === undefined) return undefined;
  const isHeader = prefix !== '' || HEADER_OPTION.test(option);
  return { head: `${prefix}${name}${separator}`, name, value, isHeader };
}

/** `NAME=value`, `Name: value`, `--header=Name: value`. */
const NAMED = /^(--headers?=)?([^=:\s]+)(\s*[=:][ \t]*)(.*)$/s;
const HEADER_OPTION = /^(?:-H|--headers?)$/;
